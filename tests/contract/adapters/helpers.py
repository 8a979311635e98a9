"""Other models: prompts, roles, paths of answers, what an error means, and which model is asked."""

import json
import os
import re

from support.floor import PLUGIN
from ultrawork.clients.headless.base import LIMIT, classify_error
from ultrawork.core.errors import UltraworkError
from ultrawork.features.helpers import question
from ultrawork.features.helpers.values import helpers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .cases import Case, Place

NONCE = "0123456789abcdef"


def cli_case(case: "Case", place: "Place") -> "tuple[Any, Any]":
    given = place.filled(case.input.get("args", []))
    return _CLI[case.fn](case, place, given)


def _prompt(case: "Case", _place: "Place", given: "list[Any]") -> "tuple[Any, Any]":
    """What both say, without their marks; files stand between marks of ours, whatever is in them."""
    user, files, system = ([*given, None, None])[:3]
    shown = [("f", files)] if files else []
    made = helpers.build_prompt(user, system or "", shown, NONCE)
    if files:
        assert f"<data-{NONCE} file f>\n{files}\n</data-{NONCE}>" in made
    ours = [part for part in made.strip().split("\n\n") if not part.startswith("You advise")]
    expect = case.expect["result"]
    if not isinstance(expect, str):
        return "long", "long"
    return ours, re.sub(r"</?system-instructions>\n?", "", expect).replace("\n\n\n", "\n\n").split("\n\n")  # fmt: skip


def _role(case: "Case", _place: "Place", given: "list[Any]") -> "tuple[Any, Any]":
    _, role = ([*given, None])[:2]
    wanted = case.expect.get("result", "refused")
    wanted = "a role" if isinstance(wanted, dict) else wanted
    try:
        found = "a role" if question.read_role(role or "", PLUGIN) else "<undefined>"
    except UltraworkError:
        found = "refused"
    return found, wanted


def _valid(case: "Case", _place: "Place", given: "list[Any]") -> "tuple[Any, Any]":
    return helpers.is_role(given[0]), case.expect["result"]


def _output(case: "Case", place: "Place", given: "list[Any]") -> "tuple[Any, Any]":
    wanted = place.expected(case.expect["result"])
    os.makedirs(f"{place.dir}/is-a-dir", exist_ok=True)
    redirects = ".omc/outputs" in str(wanted.get("actualPath"))
    environ = {question.POLICY: question.REDIRECT} if redirects else {}
    try:
        asking = question.AskingPlace(place.dir, "", environ)
        path = asking.find_output(given[0])
        asking.write_output(path, given[1])
    except UltraworkError as error:
        return str(error).partition(":")[0], wanted.get("errorToken")
    return path, wanted.get("actualPath")


def _error(case: "Case", _place: "Place", given: "list[Any]") -> "tuple[Any, Any]":
    """What the newest words of trouble are taken for; a program's answer is no trouble."""
    printed = given or [case.input["stdout"], case.input["stderr"]]
    text = "\n".join(_messages("\n".join(printed)))
    kinds = {"model": helpers.is_model_error(text), "rate_limit": classify_error(text) == LIMIT}
    kind = next((name for name, there in kinds.items() if there), "none")
    wanted = case.expect.get("result", case.expect)
    if "type" in wanted:
        return kind, wanted["type"]
    looked = {"isModelError": "model"}.get(case.fn, "rate_limit")
    return kind == looked, wanted.get("isError", wanted.get("is_error"))


def _messages(printed: str) -> "list[str]":
    found = []
    for line in printed.splitlines():
        event: dict[str, Any] = json.loads(line) if line.startswith("{") else {"message": line}
        told = event.get("message") or event.get("error", {}).get("message")
        found += [told] if told else []
    return found


_CLI = {
    "buildPromptWithSystemContext": _prompt,
    "resolveSystemPrompt": _role,
    "isValidAgentRoleName": _valid,
    "safeWriteOutputFile": _output,
    "isRetryableError": _error,
    "isGeminiRetryableError": _error,
    "isModelError": _error,
    "isRateLimitError": _error,
    "is_rate_limit_error": _error,
}


def policy_case(case: "Case", place: "Place") -> "tuple[Any, Any]":
    given = place.filled(case.input["args"])
    wanted = case.expect["result"]
    if case.fn == "buildFallbackChain":
        return helpers.list_models(helpers.HELPERS[given[0]], "", given[1]), wanted
    config, asked = given
    defaults = config.get("defaults", {})
    name = asked.get("explicitProvider") or defaults.get("provider") or helpers.choose_helper("")
    helper = helpers.HELPERS[name]
    first = wanted["model"] if wanted["model"].startswith("env-") else ""
    chain = defaults.get(f"{name}Model")
    models = question.choose_models(
        helper, asked.get("explicitModel", ""), [chain] if chain else [], {helper.variable: first}
    )
    return [name, models[0]], [wanted["provider"], wanted["model"]]
