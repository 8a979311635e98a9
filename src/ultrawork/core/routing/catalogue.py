"""
Which agent of the catalogue a piece of work is for, and which ways of working its words ask for.

One place decides: the hooks that advise, `ultrawork content try` and whoever else delegates ask here.
"""

from ..value import Value, fresh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ARCHITECTURE = "a question of architecture"
REFACTORING = "a large refactoring"
SPREAD = "work in several files"
# Words that an agent is for, the more special before the more general; whole words, case does not matter.
_AGENTS = {
    "vision": r"screenshots?|(?:this|the|attached) (?:image|picture|photo|pdf|diagram|mockup)|\.(?:png|jpe?g|gif|webp|pdf)",
    "accessibility-auditor": r"accessibility|accessible|a11y|wcag|screen readers?|aria|barrierefrei(?:heit)?|accessibilité",
    "i18n-specialist": r"i18n|l10n|internationali[sz](?:e|ation)|locali[sz](?:e|ation)|translat(?:e|ions?)|locales?|plural forms?",
    "git-master": r"rebase|squash|cherry-pick|bisect|git history|split (?:this|the|my) commits?|commit (?:this|these|the changes|my changes)|merge conflicts?",
    "security-reviewer": r"security (?:review|audit)|vulnerabilit(?:y|ies)|sql injection|xss|csrf|owasp|sicherheitslücken?|pentest|leaked secrets?",
    "performance-reviewer": r"performance review|hot ?spots?|profil(?:e|ing)|memory usage|latency|bottlenecks?|too slow",
    "database-expert": r"migrations?|schema|index(?:es)? on|slow quer(?:y|ies)|explain (?:analyze|plan)|postgres(?:ql)?|mysql|sqlite|foreign keys?|datenbank",
    "devops-engineer": r"docker(?:file)?|kubernetes|k8s|helm|terraform|github actions|ci(?:/cd)? (?:pipeline|workflow|job)|deploy(?:ment)?|nginx",
    "build-fixer": r"(?:fix|mend|repair) (?:the |this |our )?(?:build|compile errors?|type errors?|type check)|build (?:fails|is (?:red|broken|failing))|does not compile|tsc errors?",
    "test-engineer": r"flaky|test coverage|(?:write|add|missing) (?:unit |integration |e2e )?tests?|test strategy|tests? for|tests schreiben",
    "debugger": r"root cause|stack ?trace|race condition|memory leak|deadlock|crash(?:es|ed|ing)?|segfault|why (?:does|do|is|are) .{0,60}(?:fail|failing|broken|crash|wrong|hang|empty)|debug",
    "api-designer": r"design (?:an? |the )?(?:\w+ )?(?:api|endpoints?|graphql schema)|openapi|rest contract|api contract",
    "api-reviewer": r"breaking change|backwards? compatib(?:le|ility)|api review|review (?:the |this )?api",
    "style-reviewer": r"naming conventions?|code style|style review|formatting",
    "dependency-expert": r"which (?:library|package|sdk|framework)|(?:upgrade|evaluate|choose) (?:the |a |an )?(?:\w+ )?(?:library|package|dependency|dependencies|sdk)|alternatives to",
    "document-specialist": r"official docs?|documentation of|look up (?:the|in)|what do(?:es)? the docs|api reference|release notes of",
    "scientist": r"dataset|data ?frame|\bcsv\b|statistic(?:s|al)|correlation|regression analysis|hypothesis test|p-value|outliers",
    "product-analyst": r"funnel|a/b test|retention|conversion rate|\bkpis?\b|metrics? (?:for|of)|experiment design",
    "product-manager": r"\bprd\b|product requirements?|roadmap|prioriti[sz]e (?:the |these |our )?(?:features|backlog)|user stories",
    "ux-researcher": r"usability|user research|heuristic evaluation|user interviews?",
    "information-architect": r"taxonomy|site ?map|information architecture|navigation structure|menu structure",
    "quality-strategist": r"release readiness|ready to (?:release|ship)|quality gates?|go/no-go|test plan for the release",
    "analyst": r"acceptance criteria|requirements? (?:analysis|are unclear)|clarify (?:the )?(?:scope|requirements?)",
    "critic": r"(?:challenge|criti(?:ci[sz]e|que)|poke holes in|review) (?:this |the |my )?plan",
    "planner": r"(?:make|write|create) (?:a |the )?(?:\w+ )?plan|break (?:this|it) (?:down )?into tasks|arbeitsplan|planifie",
    "code-reviewer": r"(?:code review|review) (?:of )?(?:this|my|the|our) (?:code|change|changes|diff|pr|pull request|branch|commit)",
    "verifier": r"verify (?:that|whether)|is (?:it|this) really done|check the claim",
    "designer": r"\bui\b|\bux\b|css|layout|dark mode|responsive|buttons?|landing page|component library|tailwind|animation",
    "writer": r"readme|changelog|documentation|docs|tutorial|user guide|doc ?strings?|dokumentation",
    "qa-tester": r"try (?:it|the (?:cli|app|program|service)) out|smoke test|manual test|click through|end[- ]to[- ]end by hand",
    "architect": r"architecture|architectural|system design|architektur|arquitectura|アーキテクチャ|架构",
    "explore": r"where (?:is|are|do|does)|find (?:all|every|the (?:file|files|place|places|function|definition))|which files?|wo (?:ist|sind|wird)|où est|dónde",
}  # fmt: skip
# Where words name nobody: the agent of an area of a goal or of a kind of work (routes.CATEGORIES).
_KINDS = {
    "frontend": "designer", "backend": "executor", "database": "database-expert", "auth": "executor",
    "infra": "devops-engineer", "testing": "test-engineer", "docs": "writer",
    "visual-engineering": "designer", "ultrabrain": "deep-executor", "quick": "explore", "writing": "writer",
}  # fmt: skip
# And the agent of a kind of file.
_FILES = {
    "designer": ("tsx", "jsx", "css", "scss", "html", "vue", "svelte"),
    "writer": ("md", "mdx", "rst"),
}
# Ways of working and the words that order them: document 004's, as the beginning of a sentence or clause.
_SKILLS = {
    "ralplan": r"ralplan",
    "plan": r"plan (?:this|the|how|out)|(?:make|write|create) (?:me )?a plan",
    "brainstorming": r"brainstorm",
    "test-driven-development": r"tdd|test[- ]first|red[- ]green|use tdd|do (?:this|it) (?:test[- ]first|with tdd)",
    "deepsearch": r"deep-?search|search (?:the|this|our|my) (?:whole |entire )?code ?base|find .{1,80} in (?:the|this|our|my) code ?base",
    "analyze": r"deep[- ]?analy[sz]e",
    "security-review": r"security[- ]review|review .{0,60}\bfor (?:security|vulnerabilities)|(?:check|look|scan) .{0,40}for vulnerabilities",
    "code-review": r"code[- ]review|review (?:my|the|this|these|our) (?:code|changes?|diff|pr|pull request|branch|commits?)",
    "build-fix": r"build[- ]fix|fix (?:the|this|our) (?:build|type errors|compile errors)|make (?:the|it) (?:build|compile)",
    "ccg": r"ccg|claude-codex-gemini|(?:ask|use|delegate (?:this |it )?to) (?:codex|gpt|gemini)",
    "systematic-debugging": r"debug (?:this|the|why|it)|find (?:out )?(?:the root cause|why)",
    "external-context": r"external-context|look up (?:the )?(?:official )?(?:docs|documentation)",
    "release": r"(?:cut|make|prepare|publish) (?:a|the) (?:new |patch |minor |major )?release|release (?:patch|minor|major|v?\d[\w.]*)",
    "deepinit": r"deep-?init",
    "git-master": r"git-master|(?:commit|split) (?:this|these|the changes|my changes)",
    "frontend-ui-ux": r"frontend-ui-ux",
    "verification-before-completion": r"(?:prove|show me) that it works",
    "next-step-router": r"what (?:should|do) (?:i|we) do next|what(?:'s| is) next",
    "omc-help": r"(?:omc|ultrawork) help",
}  # fmt: skip
# What may stand before an order and is no part of it.
_POLITE = (
    r"(?:please|now|then|next|first|ok|okay|so|and|hey|claude|bitte|can you|could you|would you|will you|let'?s|let us"
    r"|i want you to|i'd like you to|go and|just|ulw|ultrawork|ralph|autopilot|team|with|use|using|do an?|run an?|start an?)"
)  # fmt: skip
# Parts that are named one after the other: `ulw ralph tdd git-master fix the login`.
_PARTS = ("test-driven-development", "git-master", "frontend-ui-ux", "security-review")
_CHAIN = r"(?:tdd|test-first|git-master|frontend-ui-ux|security-review)"
# Who tells of a word does not order it.
_TOLD = r"what (?:is|are|does)|how (?:does|do|is)|explain|describe|tell me (?:about|what)|don'?t|do not|never|without|instead of|no need to"


class CatalogueChoice(Value):
    """`delegate`: too much, or too special, for whoever was asked. `why` has a reason for the agent and each skill."""

    agent: str = ""
    delegate: bool = False
    skills: list[str] = fresh(list)
    why: dict[str, str] = fresh(dict)


def choose(words: str) -> CatalogueChoice:
    """What a request would use; nothing where whoever was asked does it at once."""
    agent, why, delegate = choose_agent(words)
    found = dict(list_ordered_skills(words))
    reasons = {name: f'the words "{said}"' for name, said in found.items()}
    return CatalogueChoice(
        agent, delegate, list(found), {**({agent: why} if agent else {}), **reasons}
    )


def choose_agent(words: str, *, kind: str = "", path: str = "") -> tuple[str, str, bool]:
    """
    Agent, reason, and whether the work must be left to it; all empty where nobody is needed.

    The words first; where they say nothing the kind of work, then the kind of the file.
    """
    found = _choose_by_words(words) if words else ("", "", False)
    if found[0]:
        return found
    if kind in _KINDS:
        return _KINDS[kind], f"{kind} work", False
    return (_find_for_file(path), f"a file such as {path}", False) if path else ("", "", False)


def _choose_by_words(words: str) -> tuple[str, str, bool]:
    from .complexity import find_signals

    found = find_signals(words)
    if found["architecture"] and found["question"] != "none":
        return "architect", ARCHITECTURE, True
    if found["architecture"] and (found["cross_file"] or found["scope"] != "local"):
        return "deep-executor", REFACTORING, True
    if found["cross_file"] or found["subtasks"] > 3:
        return "executor", SPREAD, True
    special, said = _find_special(words)
    return (special, f'the words "{said}"', False) if special else ("", "", False)


def _find_for_file(path: str) -> str:
    ending = path.rpartition("/")[2].rpartition(".")[2].lower()
    return next((who for who, endings in _FILES.items() if ending in endings), "executor")


def _find_special(words: str) -> tuple[str, str]:
    import re

    for agent, pattern in _AGENTS.items():
        found = re.search(rf"(?<![\w-])(?:{pattern})(?![\w-])", words, re.IGNORECASE)
        if found:
            return agent, found[0]
    return "", ""


def list_ordered_skills(words: str) -> "Iterator[tuple[str, str]]":
    """Ways of working that a prompt orders, with the words that do; a mention in passing orders nothing."""
    import re

    text = _keep_orders(words)
    for name, pattern in _SKILLS.items():
        if not re.search(pattern, text, re.IGNORECASE):
            continue
        before = f"(?:{_POLITE}|{_CHAIN})" if name in _PARTS else _POLITE
        order = rf"(?:^|[.!?:;,\n])\s*(?:{before}[\s,:]+){{0,8}}({pattern})(?![\w-])"
        found = re.search(order, text, re.IGNORECASE)
        if found and not re.match(rf"\s*(?:{_TOLD})\b", text, re.IGNORECASE):
            yield name, found[1]


def _keep_orders(words: str) -> str:
    """
    Line by line what a person says; code, quotations, pasted lines, addresses and paths are nobody's order.
    One blank at a time: the patterns must not try every part of a long run.
    """
    from ..prompt.prose import keep_own_words

    lines = (line.split() for line in keep_own_words(words).split("\n"))
    return "\n".join(
        " ".join(" " if "/" in word else word for word in line) for line in lines if line
    )
