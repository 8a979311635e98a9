"""Which model is asked, what an end means, what is never handed on."""

import pytest

from ultrawork.features.helpers.values import helpers
from ultrawork.features.helpers.values.helpers import COMPLETED, FAILED, HELPERS, NEXT, TIMEOUT

CODEX, GEMINI = HELPERS["codex"], HELPERS["gemini"]


@pytest.mark.parametrize(
    ("role", "size", "wanted"),
    [
        ("architect", 0, "codex"),
        ("security-reviewer", 100_000, "codex"),
        ("designer", 0, "gemini"),
        ("writer", 0, "gemini"),
        ("architect", 100_001, "gemini"),
        ("executor", 0, "codex"),
    ],
)
def test_a_role_and_the_size_of_the_files_choose_who_is_asked(role, size, wanted):
    assert helpers.choose_helper(role, size) == wanted


def test_a_model_that_was_asked_for_stands_alone():
    assert helpers.list_models(CODEX, " mine ", "first") == ["mine"]
    assert helpers.list_models(CODEX, "", "gpt-5.2") == ["gpt-5.2", "gpt-5.3-codex", "gpt-5.3", "gpt-5.2-codex"]  # fmt: skip


GONE = "The model `x` does not exist or you do not have access to it."


@pytest.mark.parametrize(
    ("helper", "end", "left", "why", "wanted"),
    [
        (CODEX, ("", ""), 3, "ended", COMPLETED),
        (CODEX, ("crash", GONE), 3, "ended", NEXT),
        (CODEX, ("crash", GONE), 0, "ended", FAILED),
        (CODEX, ("crash", "it exited with status 1"), 3, "ended", FAILED),
        (CODEX, ("limit", "rate limit"), 3, "ended", FAILED),
        (GEMINI, ("limit", "quota exceeded"), 3, "ended", NEXT),
        (GEMINI, ("limit", "quota exceeded"), 0, "ended", FAILED),
        (CODEX, ("auth", "401"), 3, "ended", FAILED),
        (CODEX, ("crash", "it was ended at its deadline"), 3, "deadline", TIMEOUT),
    ],
)
def test_only_what_another_model_could_mend_goes_to_the_next(helper, end, left, why, wanted):
    assert helpers.settle_try(helper, *end, left=left, why=why) == wanted


@pytest.mark.parametrize(
    "path",
    [".env", "web/.env.local", ".git/config", "a/secrets/b", ".ssh/id_rsa", "deploy/id_ed25519", "node_modules/.cache/x"],
)  # fmt: skip
def test_keys_and_gits_own_files_are_never_handed_on(path):
    assert helpers.is_private_path(path)


@pytest.mark.parametrize("path", ["src/secretary.py", "environment.md", "docs/env.md", "node_modules/a.js"])  # fmt: skip
def test_other_files_may_be(path):
    assert not helpers.is_private_path(path)
