"""Secrets never reach a log, a receipt or a message."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultrawork.core.redact import LINE, LONGEST, RedactedStream, is_secret_name, list_secrets, redact

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def body(length, alphabet=LETTERS):
    """Something like a random key; put together here so that no scanner takes this file for a leak."""
    return "".join(alphabet[(7 * i + 3) % len(alphabet)] for i in range(length))


KEY_BLOCK = (
    "-----BEGIN RSA " + "PRIVATE KEY-----\n"
    "Proc-Type: 4,ENCRYPTED\n\n" + (body(64) + "\n") * 5 + "-----END RSA " + "PRIVATE KEY-----"
)
JWT = "eyJ" + body(20) + ".eyJ" + body(40) + "." + body(43)
FOUND = {
    "aws": ("AK" + "IA" + body(16, "ABCDEFGHIJKLMNOP234567"), "AWS key"),
    "aws secret": ("aws_secret_access_key = " + body(40), "AWS secret"),
    "aws secret in JSON": ('"SecretAccessKey": "' + body(40) + '"', "AWS secret"),
    "github": ("gh" + "p_" + body(36), "GitHub token"),
    "github server": ("gh" + "s_" + body(36), "GitHub token"),
    "github fine": ("github_" + "pat_" + body(22) + "_" + body(59), "GitHub token"),
    "gitlab": ("glp" + "at-" + body(20), "GitLab token"),
    "slack": ("xo" + "xb-" + body(12, "0123456789") + "-" + body(24), "Slack token"),
    "slack hook": ("https://hooks.slack.com/services/" + "T0/B0/" + body(24), "Slack address"),
    "anthropic": ("sk-" + "ant-api03-" + body(80), "Anthropic key"),
    "openai": ("sk-" + body(48), "OpenAI key"),
    "openai project": ("sk-" + "proj-" + body(60), "OpenAI key"),
    "google": ("AI" + "za" + body(35), "Google key"),
    "google token": ("ya" + "29." + body(60), "Google token"),
    "stripe": ("sk_" + "live_" + body(24), "Stripe key"),
    "stripe hook": ("whs" + "ec_" + body(32), "Stripe secret"),
    "npm": ("np" + "m_" + body(36), "npm token"),
    "pypi": ("pypi-" + "AgE" + body(90), "PyPI token"),
    "sendgrid": ("S" + "G." + body(22) + "." + body(43), "SendGrid key"),
    "hugging face": ("h" + "f_" + body(34), "Hugging Face token"),
    "digitalocean": ("do" + "p_v1_" + body(64, "0123456789abcdef"), "DigitalOcean token"),
    "shopify": ("shp" + "at_" + body(32, "0123456789abcdef"), "Shopify token"),
    "telegram": ("123456789:" + "AA" + body(33), "Telegram token"),
    "age": ("AGE-" + "SECRET-KEY-1" + body(58, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"), "age key"),
    "jwt": (JWT, "JWT"),
    "bearer": ("authorization: Bearer " + body(30), "authorization"),
    "basic": ("Authorization: Basic " + body(24), "authorization"),
    "bearer alone": ("curl -H 'bearer " + body(30) + "'", "bearer token"),
    "api key": ("X-Api-Key: " + body(20), "API key"),
    "url": ("postgres://admin:" + "hunter2@localhost:5432/db", "password"),
    "url of a registry": ("https://me:" + body(30) + "@example.org/x", "password"),
    "key block": (KEY_BLOCK, "private key"),
    "key block in JSON": ('{"k": "' + KEY_BLOCK.replace("\n", "\\n") + '"}', "private key"),
}


@pytest.mark.parametrize(("text", "name"), FOUND.values(), ids=FOUND)
def test_a_key_of_a_known_shape_is_replaced_by_the_name_of_the_shape(text, name):
    cleaned = redact(f"before {text} after", {})
    assert f"[redacted {name}]" in cleaned
    assert cleaned.startswith("before ")
    assert cleaned.endswith(" after")
    assert body(16)[4:] not in cleaned
    assert "hunter2" not in cleaned


@pytest.mark.parametrize(("text", "name"), FOUND.values(), ids=FOUND)
def test_a_cleaned_text_is_clean_already(text, name):
    cleaned = redact(text, {})
    assert redact(cleaned, {}) == cleaned


@pytest.mark.parametrize(
    "text",
    [
        "test_task-abcdefghijklmnopqrstuvwxyzabcdefghijklm PASSED",
        "class sk-folding-cube-container",
        "https://example.org:8080/a@b",
        "postgres://localhost:5432/db",
        "git@github.com:owner/name.git",
        "see -----BEGIN CERTIFICATE----- in the docs",
        "Authorization: missing",
        "commit 9c1f0a2e4d5b6c7d8e9f00112233445566778899",
        "npm_config_registry=https://registry.example.org",
        "the bearer of bad news",
    ],
)
def test_ordinary_output_stays_as_it_is(text):
    assert redact(text, {}) == text


def test_the_host_and_the_user_of_an_address_stay_readable():
    assert redact("postgres://me:pw@db:5432/x", {}) == "postgres://me:[redacted password]@db:5432/x"


def test_a_value_of_a_variable_with_a_secret_name_is_replaced_by_that_name():
    text = redact("connecting with correct-horse", {"DB_PASSWORD": "correct-horse"})
    assert text == "connecting with [redacted DB_PASSWORD]"


def test_a_value_of_an_ordinary_variable_stays():
    assert redact("in /home/somebody", {"HOME": "/home/somebody"}) == "in /home/somebody"


def test_a_value_shorter_than_eight_characters_stays():
    assert redact("testing", {"API_TOKEN": "testing"}) == "testing"


def test_a_longer_value_is_replaced_before_one_that_it_contains():
    environ = {"A_TOKEN": "abcdefgh", "B_TOKEN": "abcdefgh-and-more"}
    assert redact("abcdefgh-and-more", environ) == "[redacted B_TOKEN]"


def test_each_line_of_a_value_with_several_lines_is_hidden():
    assert redact("x second-line y", {"MY_SECRET": "first-line\nsecond-line\n"}) == ("x [redacted MY_SECRET] y")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("GITHUB_TOKEN", True),
        ("npm_token", True),
        ("SECRET_KEY_BASE", True),
        ("PGPASSWORD", True),
        ("MYSQL_ROOT_PASSWD", True),
        ("STRIPE_API_KEY", True),
        ("AWS_ACCESS_KEY_ID", True),
        ("SENTRY_DSN", True),
        ("GIT_AUTHOR_NAME", False),
        ("MAX_TOKENS", False),
        ("AWS_WEB_IDENTITY_TOKEN_FILE", False),
        ("TOKENIZERS_PARALLELISM", False),
        ("SSH_AUTH_SOCK", False),
        ("PWD", False),
        ("PATH", False),
    ],
)
def test_whether_a_name_sounds_secret(name, expected):
    assert is_secret_name(name) is expected


def test_secrets_are_given_longest_first():
    values = [value for value, _ in list_secrets({"A_TOKEN": "12345678", "B_TOKEN": "1234567890"})]
    assert values == ["1234567890", "12345678"]


ENVIRON = {"DEPLOY_TOKEN": "correct-horse-battery"}
PARTS = [text for text, _ in FOUND.values()] + ["correct-horse-battery", "plain words", "ümläut ✓", ""]


@given(
    st.lists(st.sampled_from(PARTS), min_size=1, max_size=8),
    st.sampled_from(["\n", "\r\n"]),
    st.lists(st.integers(1, 200), min_size=1, max_size=40),
)
def test_pieces_come_out_as_the_whole_would(parts, end, sizes):
    text = end.join(parts) + end
    data = text.encode()
    stream = RedactedStream(ENVIRON)
    out, start = b"", 0
    for size in sizes:
        out += stream.feed(data[start : start + size])
        start += size
    out += stream.feed(data[start:]) + stream.finish()
    assert out.decode() == redact(text, ENVIRON)


PIECE = 4096
# Where the first piece that makes a line too long is cut.
CUT = (LINE // PIECE + 1) * PIECE - LONGEST


@pytest.mark.parametrize("blank", [b"x", b"y "])
@pytest.mark.parametrize("place", [*range(CUT - 50, CUT + 10, 4)])
def test_a_secret_in_an_endless_line_is_found_wherever_it_falls(blank, place):
    secret = b" Authorization: Bearer correct-horse-battery-2 "
    data = (blank * place)[:place] + secret + blank * LINE
    stream = RedactedStream({})
    out = b"".join(stream.feed(data[i : i + PIECE]) for i in range(0, len(data), PIECE))
    out += stream.finish()
    assert b"battery" not in out
    assert len(out) > LINE


def test_a_line_is_let_through_as_soon_as_it_has_ended():
    stream = RedactedStream({})
    assert stream.feed(b"one\ntw") == b"one\n"
    assert stream.feed(b"o\n") == b"two\n"


def test_an_open_key_block_is_held_until_its_end():
    stream = RedactedStream({})
    first, rest = KEY_BLOCK.encode().split(b"ENCRYPTED")
    assert stream.feed(b"a\n" + first + b"ENCRYPTED\n") == b"a\n"
    assert stream.feed(rest + b"\n") == b"[redacted private key]\n"


def test_a_block_that_never_ends_does_not_hold_everything_back():
    stream = RedactedStream({})
    out = stream.feed(b"-----BEGIN CERTIFICATE-----\n")
    for _ in range(2 * LONGEST // 64):
        out += stream.feed(b"x" * 63 + b"\n")
    assert len(out) > LONGEST


def test_bytes_that_are_no_text_come_out_unchanged():
    data = bytes(range(256)) + b"\n"
    stream = RedactedStream({})
    assert stream.feed(data) + stream.finish() == data


HOSTILE = {
    "words before a key": "word " * 200_000 + "PRIVATE KEY",
    "an endless key": "-----BEGIN " + "PRIVATE KEY-----\n" + (body(64) + "\n") * 15_000,
    "many beginnings": ("-----BEGIN " + "PRIVATE KEY-----\n") * 35_000,
    "schemes": "a://" * 250_000,
    "tokens": "eyJaaaaaaaaa." * 80_000,
    "headers": "authorization: bearer " * 45_000,
    "no line end": "x" * 1_000_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_megabyte_takes_no_time_worth_mentioning_whatever_it_holds(text):
    started = time.process_time()
    redact(text, ENVIRON)
    assert time.process_time() - started < 1.5
