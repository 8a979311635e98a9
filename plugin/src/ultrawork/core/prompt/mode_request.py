"""Which mode does the user's prompt request?

Runs on every prompt: `may_name` is all that a common one costs, even one about `my team`. `mode_evidence` judges other
words by the same grammar as `ulw`."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .mode_orders import PromptModes
    from .request import ModeRequest

# A prompt without any of these names no mode.
STEMS = (
    "ulw", "ultrawork", "ralph", "pilot", "full auto", "full-auto", "fullsend", "team", "swarm", "pipeline",
    "ultraqa", "ultra qa", "ultra-qa", "qa cycl", "qa-cycle", "qa loop", "qa-loop", "cancelomc", "stopomc", " agents", "parallel build",
    "ild me ", "ate me ", "ake me ", "lop me ", "i want a", "i'd like a", "i\u2019d like a", "t stop", "r stop",
    " give up", "t quit", "r quit", " rest until", " rest till", "must complete", "keep going", "keep working",
    "keep at it", "keep trying", "keep iterating", "keep fixing", "handle it all", "handle everything",
    "handle all of it",
)  # fmt: skip

# Common words of every project. After an article or a possessive each is only a mention, unless one of the signs
# indicates a mode; words of other languages are left to the grammar.
_MENTIONS = tuple(
    f" {before} {word}"
    for word in ("team", "pipeline")
    for before in ("the", "my", "our", "your", "their", "his", "her", "its")
)
_SIGNS = ("mod", "run", "usa", "loop", "style", "tryb", "agent", "worker", "executor", "->", "=>")

# A prompt without any of these requests no way of working.
SKILL_STEMS = (
    "plan", "brainstorm", "tdd", "test first", "test-first", "red-green", "red green", "deepsearch", "deep-search", "codebase",
    "code base", "nalyze", "nalyse", "review", "vulnerab", "build", "compile", "type errors", "ccg", "codex", "gpt", "gemini",
    "debug", "find ", "external-context", "look up", "release", "deepinit", "deep-init", "git-master", "commit", "split",
    "frontend-ui-ux", "that it works", "next", "omc help", "ultrawork help",
    "pianifica", "план", "计划", "計画", "계획", "prüfe", "relis", "revue", "revisa", "revise", "rivedi", "revis\u00e3o", "ревью",
    "controleer", "sprawdź", "审查", "レビュー", "리뷰", "сборку", "构建", "ビルド", "빌드", "revisión", "头脑风暴", "ブレスト", "브레인",
)  # fmt: skip


def may_name(lower: str) -> bool:
    """Return whether a prompt, in lowercase, can mention a mode at all."""
    if not any(stem in lower for stem in STEMS):
        return False
    plain = _drop_mentions(lower)
    return any(stem in plain for stem in STEMS)


def _drop_mentions(lower: str) -> str:
    """`my team` and `the pipeline` are the most common words of modes, and reading their sentence costs the most."""
    if not lower.isascii() or any(sign in lower for sign in _SIGNS):
        return lower
    plain = f" {lower}"
    for mention in _MENTIONS:
        plain = plain.replace(mention, " ")
    return plain


def may_order(prompt: str) -> bool:
    """Return whether a prompt can order a way of working at all; what it orders is found in `routing.catalogue`."""
    lower = prompt.lower()
    return any(stem in lower for stem in SKILL_STEMS)


def find_modes(prompt: str, words: "Sequence[str] | None" = None) -> "ModeRequest | None":
    """Return the request; None if no mode is requested, or one is only mentioned. `words` are those that mean
    ultrawork."""
    from . import order

    known = [word.lower() for word in (order.WORDS if words is None else words)]
    lower = order.lower_in_place(prompt)
    named = may_name(lower) or any(word in lower for word in known)
    if not named or order.is_not_for_us(lower) or order.find_free_word(prompt) is not None:
        return None
    from .mode_orders import collect_modes

    return _resolved(collect_modes(prompt, known))


def _resolved(prompt_modes: "PromptModes") -> "ModeRequest | None":
    if not (prompt_modes.cancel or prompt_modes.modes or prompt_modes.hint):
        return None
    from .composition import compose
    from .request import ModeRequest

    if prompt_modes.cancel:
        return ModeRequest(cancel=True)
    if prompt_modes.modes:
        made = compose([*prompt_modes.modes, *prompt_modes.others])
        return ModeRequest(made, goal=prompt_modes.goal, others=tuple(prompt_modes.others))
    return ModeRequest(hint=prompt_modes.hint)
