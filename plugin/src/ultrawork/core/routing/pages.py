"""The page that an everyday request needs although it names no way of working.

Phrases of `words/catalogue.toml` decide first, then the agent for the work, whose page is listed there too."""

import re
from collections.abc import Sequence

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
    from .catalogue import choose_agent, keep_orders

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
