"""Remove secrets from texts: exact forms of well-known keys, and the values of variables with secret-sounding names.

Each is replaced by `[redacted NAME]`: the name of the variable or of the form."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from re import Pattern

SHORTEST = 8
LONGEST = 16_384
LINE = 65_536
FLOOD = 100_000

# name, words of which one must occur for the pattern to be tried, pattern. Group 1 stays. Lowercase words match any
# case.
SHAPES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "private key",
        ("PRIVATE KEY",),
        r"()-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[^-]{0,16000}(?:-(?!-{4})[^-]{0,16000}){0,9}?-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"|(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{20,})*)",
    ),
    ("AWS key", ("AKIA", "ASIA"), r"()\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    (
        "AWS secret",
        ("secret_access_key", "secretaccesskey"),
        r"(?i)(secret_?access_?key[\"']?\s*[=:]\s*[\"']?)[a-z0-9/+=]{40}(?![a-z0-9/+=])",
    ),
    ("GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"()\bgh[pousr]_[A-Za-z0-9]{36,255}"),
    ("GitHub token", ("github_pat_",), r"()\bgithub_pat_[A-Za-z0-9_]{22,255}"),
    ("GitLab token", ("glpat-", "glrt-"), r"()\bgl(?:pat|rt)-[A-Za-z0-9_-]{20,}"),
    ("Slack token", ("xox", "xapp-"), r"()\bx(?:ox[abeoprs]|app)-[A-Za-z0-9-]{10,}"),
    ("Slack address", ("hooks.slack.com",), r"(hooks\.slack\.com/\w+/)[A-Za-z0-9/_-]{20,}"),
    ("Anthropic key", ("sk-ant-",), r"()\bsk-ant-[A-Za-z0-9_-]{16,}"),
    ("OpenAI key", ("sk-",), r"()\bsk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,})"),
    ("Google key", ("AIza",), r"()\bAIza[A-Za-z0-9_-]{35}"),
    ("Google token", ("ya29.", "GOCSPX-"), r"()\b(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,}"),
    ("Stripe key", ("k_live_", "k_test_"), r"()\b[srp]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("Stripe secret", ("whsec_",), r"()\bwhsec_[A-Za-z0-9+/=]{24,}"),
    ("npm token", ("npm_",), r"()\bnpm_[A-Za-z0-9]{36}\b"),
    ("PyPI token", ("pypi-AgE",), r"()\bpypi-AgE[A-Za-z0-9_-]{50,}"),
    ("SendGrid key", ("SG.",), r"()\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    ("Hugging Face token", ("hf_",), r"()\bhf_[A-Za-z0-9]{34}\b"),
    ("DigitalOcean token", ("doo_v1_", "dop_v1_", "dor_v1_"), r"()\bdo[opr]_v1_[a-f0-9]{64}"),
    ("Shopify token", ("shp",), r"()\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("Telegram token", (":AA",), r"()\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}"),
    ("age key", ("AGE-SECRET-KEY-",), r"()\bAGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    ("JWT", ("eyJ",), r"()\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    (
        "authorization",
        ("authorization",),
        r"(?i)(authorization[\"']?\s*[:=]\s*[\"']?(?:(?:bearer|basic|token|digest)\s+)?)"
        r"(?!(?:bearer|basic|token|digest)\b)[a-z0-9._~+/=-]{8,}",
    ),
    ("bearer token", ("bearer ",), r"(?i)(\bbearer\s+)[a-z0-9._~+/=-]{16,}"),
    ("API key", ("x-api-key",), r"(?i)(x-api-key[\"']?\s*[:=]\s*[\"']?)[a-z0-9._~+/=-]{8,}"),
    ("password", ("://",), r"(://[^\s:/@\"'<>]{0,200}:)[^\s/@\"'<>]{1,500}(?=@)"),
)

_NAMES = ("TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "APIKEY")
_PAIRS = ("API_KEY", "ACCESS_KEY", "PRIVATE_KEY", "SIGNING_KEY", "ENCRYPTION_KEY", "AUTH_KEY")
_ENDINGS = ("_KEY", "_PAT", "_PASS", "_AUTH", "_DSN")
# `AWS_WEB_IDENTITY_TOKEN_FILE` holds a path, `MAX_TOKENS` a number: neither is a secret.
_HARMLESS = ("_FILE", "_PATH", "_DIR", "_SOCK", "_TOKENS")
_HARMLESS_STARTS = ("TOKENIZERS_",)

_compiled: "list[tuple[str, tuple[str, ...], tuple[str, ...], Pattern[str]]]" = []


def redact(text: str, environ: "Mapping[str, str]") -> str:
    return _clean(text, list_secrets(environ))


def may_hold_secret(text: str, environ: "Mapping[str, str]") -> bool:
    """Return whether it is worth looking closer: cheap, and never wrong about a text that holds a secret."""
    lower = text.lower()
    known = any(value in text for value, _ in list_secrets(environ))
    return known or any(word.lower() in lower for _, words, _ in SHAPES for word in words)


def list_secrets(environ: "Mapping[str, str]") -> list[tuple[str, str]]:
    """Values to hide with the names of their variables; of a value with several lines each line."""
    secrets = {
        line: name
        for name, value in environ.items()
        if is_secret_name(name)
        for line in map(str.strip, value.splitlines())
        if len(line) >= SHORTEST
    }
    return sorted(secrets.items(), key=lambda pair: -len(pair[0]))


def is_secret_name(name: str) -> bool:
    upper = name.upper()
    if upper.endswith(_HARMLESS) or upper.startswith(_HARMLESS_STARTS):
        return False
    return upper.endswith(_ENDINGS) or any(word in upper for word in _NAMES + _PAIRS)


def _clean(text: str, hidden: "Iterable[tuple[str, str]]") -> str:
    # Floods are mostly the same few lines; no search word spans two.
    seen = "\n".join(set(text.splitlines())) if len(text) > FLOOD else text
    for value, name in hidden:
        if value in seen:
            text = text.replace(value, f"[redacted {name}]")
    lower = seen.lower()
    for name, words, low_words, pattern in _patterns():
        if any(word in seen for word in words) or any(word in lower for word in low_words):
            text = pattern.sub(rf"\1[redacted {name}]", text)
    return text


def _patterns() -> "list[tuple[str, tuple[str, ...], tuple[str, ...], Pattern[str]]]":
    if not _compiled:
        import re

        for name, words, pattern in SHAPES:
            anywhere = tuple(word for word in words if pattern.startswith("(?i)"))
            exact = tuple(word for word in words if word not in anywhere)
            _compiled.append((name, exact, anywhere, re.compile(pattern)))
    return _compiled


class RedactedStream:
    """The same for output that arrives in pieces, even if a secret crosses their border. Text passes up to its last
    line end. Only a private key block spans lines; it is held until its end, or until it is longer than any key. Of a
    line longer than `LINE`, everything before its last `LONGEST` bytes passes."""

    __slots__ = ("_clean", "_held")

    def __init__(self, environ: "Mapping[str, str]") -> None:
        hidden = list_secrets(environ)
        self._held = b""
        self._clean: Callable[[bytes], bytes] = lambda data: _clean(
            data.decode("utf-8", "surrogateescape"), hidden
        ).encode("utf-8", "surrogateescape")

    def feed(self, data: bytes) -> bytes:
        self._held += data
        border = self._border()
        ready, self._held = self._held[:border], self._held[border:]
        return self._clean(ready) if ready else b""

    def finish(self) -> bytes:
        rest, self._held = self._held, b""
        return self._clean(rest)

    def _border(self) -> int:
        held = self._held
        border = max(held.rfind(b"\n"), held.rfind(b"\r")) + 1
        if not border and len(held) > LINE:
            border = self._harmless(len(held) - LONGEST)
        opened = held.rfind(b"-----BEGIN ", 0, border)
        is_open = opened >= 0 and held.find(b"-----END ", opened, border) < 0
        return opened if is_open and len(held) - opened < LONGEST else border

    def _harmless(self, border: int) -> int:
        """A border that cuts no secret: both sides cleaned apart are the whole cleaned."""
        held = self._held
        whole = self._clean(held)
        if whole == held:
            return border
        for place in range(border, border - LONGEST, -LONGEST // 8):
            if self._clean(held[:place]) + self._clean(held[place:]) == whole:
                return place
        return 0 if len(held) < 2 * LINE else border
