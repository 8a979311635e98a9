"""Choose the agent for a piece of work, and the skills that its words ask for. Hooks that advise, `ultrawork content
try` and all other code that delegates decide here.

An everyday request that names no way of working needs a page: phrases of `words/catalogue.toml` decide first, then the
agent for the work, whose page is listed there too."""

import re
from collections.abc import Iterator, Sequence

from ..value import Value, fresh

ARCHITECTURE = "a question of architecture"
REFACTORING = "a large refactoring"
SPREAD = "work in several files"
MANY = 4  # parts of a list that no specialist has alone
# If the words name no agent: the agent of an area of a goal or of a kind of work (routes.CATEGORIES).
_KINDS = {
    "frontend": "designer", "backend": "executor", "database": "database-expert", "auth": "executor",
    "infra": "devops-engineer", "testing": "test-engineer", "docs": "writer",
    "visual-engineering": "designer", "ultrabrain": "deep-executor", "quick": "explore", "writing": "writer",
}  # fmt: skip
# The agent of a kind of file.
_FILES = {"designer": ("tsx", "jsx", "css", "scss", "html", "vue", "svelte"), "writer": ("md", "mdx", "rst")}
_MARKS = ".,;:!?)"
# Parts that are named in sequence: `ulw ralph tdd git-master fix the login`.
_PARTS = ("test-driven-development", "git-master", "frontend-ui-ux", "security-review")
_CHAIN = r"(?:tdd|test-first|git-master|frontend-ui-ux|security-review)"


class CatalogueChoice(Value):
    """A choice. `delegate`: the work is too large or too special for the requested agent. `why`: a reason for the
    agent and each skill."""

    agent: str = ""
    delegate: bool = False
    skills: list[str] = fresh(list)
    why: dict[str, str] = fresh(dict)


def choose(words: str) -> CatalogueChoice:
    """Return what a request would use; nothing if the asked agent can do it at once."""
    agent, why, delegate = choose_agent(words)
    ordered_skills = dict(list_ordered_skills(words))
    reasons = {name: f'the words "{phrase}"' for name, phrase in ordered_skills.items()}
    return CatalogueChoice(agent, delegate, list(ordered_skills), {**({agent: why} if agent else {}), **reasons})


def choose_agent(words: str, *, kind: str = "", path: str = "") -> tuple[str, str, bool]:
    """
    Return the agent, the reason, and whether the work must be delegated; all empty if no agent is needed. The
    words decide first, then the kind of work, then the kind of the file.
    """
    choice = _choose_by_words(words) if words else ("", "", False)
    if choice[0]:
        return choice
    if kind in _KINDS:
        return _KINDS[kind], f"{kind} work", False
    return (_find_for_file(path), f"a file such as {path}", False) if path else ("", "", False)


def _choose_by_words(words: str) -> tuple[str, str, bool]:
    from .evidence import weigh
    from .routes import find_signals

    special, phrases = weigh(_keep_prose(words), words).find_best()
    signals = find_signals(words)
    if signals["subtasks"] > MANY:
        return "executor", SPREAD, True
    if special == "architect" and (signals["question"] != "none" or "?" in words):
        return "architect", ARCHITECTURE, True
    if special == "deep-executor":
        return special, REFACTORING, True
    if special:
        return special, "the words " + ", ".join(f'"{phrase}"' for phrase in phrases), False
    if signals["architecture"] and (signals["cross_file"] or signals["scope"] == "system-wide"):
        return "deep-executor", REFACTORING, True
    if signals["cross_file"] or signals["subtasks"] > 3:
        return "executor", SPREAD, True
    return "", "", False


def _find_for_file(path: str) -> str:
    ending = path.rpartition("/")[2].rpartition(".")[2].lower()
    return next((who for who, endings in _FILES.items() if ending in endings), "executor")


def _keep_prose(words: str) -> str:
    """Return the user's words without code, quotations and paths, whose comma stays; `a/b test` is not a path."""
    from ..prompt.prose import keep_own_words

    return " ".join(
        word[len(word.rstrip(_MARKS)) :] if _is_path(word) else word for word in keep_own_words(words).split()
    )


def _is_path(word: str) -> bool:
    stem, dot, ending = word.rstrip(_MARKS).rpartition(".")
    if dot and stem and ending.isalnum():
        return True
    return "/" in word and (bool(dot) or word.startswith("/") or word.count("/") > 1)


def list_ordered_skills(words: str) -> Iterator[tuple[str, str]]:
    """Ways of working that a prompt orders, with the words that do; a mention in passing orders nothing."""
    import re

    from . import catalogue_words as table

    text = keep_orders(words)
    if re.match(rf"\s*(?:{'|'.join(table.TOLD)})(?!\w)", text, re.IGNORECASE):
        return
    for name in table.SKILLS:
        order = _find_order(name, text)
        if order:
            yield name, order


def _find_order(name: str, text: str) -> str:
    import re

    from . import catalogue_words as table

    pattern = "|".join(table.SKILLS[name])
    if re.search(pattern, text, re.IGNORECASE):
        polite = "|".join(table.POLITE)
        before = f"(?:{polite}|{_CHAIN})" if name in _PARTS else f"(?:{polite})"
        order = rf"(?:^|[.!?:;,\n])\s*(?:{before}[\s,:]+){{0,8}}({pattern})(?![\w-])"
        match = re.search(order, text, re.IGNORECASE)
        if match:
            return match[1]
    if name in table.SKILLS_SPACELESS and not text.isascii():
        match = re.search("|".join(table.SKILLS_SPACELESS[name]), text, re.IGNORECASE)
        return match[0] if match else ""
    return ""


def keep_orders(words: str) -> str:
    """
    Return the user's own words line by line, without code, quotations, pasted lines, URLs and paths. Collapse
    blanks, so that patterns do not try every part of a long run.
    """
    from ..prompt.prose import keep_own_words

    lines = (line.split() for line in keep_own_words(words).split("\n"))
    return "\n".join(" ".join(" " if "/" in word else word for word in line) for line in lines if line)


DEBUGGING = "systematic-debugging"
LONGEST = 1_500  # characters of a request; a longer one already says how to work

# A request without any of these needs no page: reading one takes longer than most prompts may cost.
STEMS = (
    "bug", "fail", "crash", "error", "wrong", "broke", "incorrect", "off by", " off", "hang", "trace", "exception", "twice",
    "my machine", "works ", " 4", " 5", "why ", "flaky", "compile", "build", "tsc", "test", "coverage", "review", "diff",
    "look over", "pull request", "pr ", "merge", "code ", "feedback", "safe", "secur", "steal", "leak", "secret", "audit",
    "inject", "plan", "step", "what would it take", "tackle", "approach", "go about", "idea", "think", "design", "options",
    "what i want", "what we want", "commit", "squash", "rebase", "branch", "worktree", "checkout", "release", "publish", "tag ",
    "ship", "version", "upgrade", "migrat", "api", "library", "package", "docs", "look up", "readme", "agents.md", "where ",
    "find ", "new to", "around", "overview", "tour", "parallel", "page", "modal", "dialog", "box", "form", "mobile", "dark mode",
    "nicer", "slow", "seconds", "ci", "docker", "deploy", "pre-commit", "are you sure", "really", "actually", "prove", "schema",
    "query", "translat", "accessib", "how come", "criteria", "doesn", "does not", "won", "figure", "which ", "structure", "explain",
    "shows ", "stuck", "missing", "nothing", "no longer", "joined", "split", "break", "dropdown", "menu", "this pr", "conflict", "problem", "issue", "changed in", "done with", "user", "visitor", "attacker",
    "disappear", "vanish", "freez", "disconnect", "flicker", "keeps ", "never ", "used to", "worked", "no results", " empty",
    "new here", "code base", "codebase", "every place", "usages", "callers", "all places", "a pr", "talk it",
)  # fmt: skip


def may_need(prompt: str) -> bool:
    lower = prompt.lower()
    return len(prompt) <= LONGEST and any(stem in lower for stem in STEMS)


def choose_page(words: str) -> tuple[str, str]:
    """Return a skill, or an agent without a skill, and the words that decided; empty if no page is needed."""
    from . import catalogue_words as table

    text = keep_orders(words)
    for name, patterns in table.WISHES.items():
        evidence = _find(patterns, text)
        if evidence:
            return name, evidence
    agent, evidence, delegate = choose_agent(words)
    if agent and not delegate:
        return table.PAGES.get(agent, agent), evidence.split('"')[1]
    evidence = _find(table.SYMPTOMS, text)
    return (DEBUGGING, evidence) if evidence else ("", "")


def _find(patterns: Sequence[str], text: str) -> str:
    match = re.search(rf"(?<![\w-])(?:{'|'.join(patterns)})", text, re.IGNORECASE)
    return match[0].strip() if match else ""
