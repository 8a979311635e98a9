"""
What a goal says about itself: whether it wants changes, whether it is about tests.

Words of names, goals and messages, for asking whether two texts are about the same thing.
"""
# ruff: noqa: RUF001 (goals are written in many alphabets)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_POLITE_WORDS = """
    please can could would you kindly hey hi ok okay so now bitte kannst du mir mal por favor puedes
    s'il te vous plaît plait peux tu me pouvez per favore puoi você voce pode alsjeblieft kun je
    пожалуйста можешь ulw ultrawork
"""
_POLITE = frozenset(_POLITE_WORDS.split())
# The first verb of a goal that wants an answer, not a change.
_READING_WORDS = """
    review explain find analyse analyze summarise summarize plan why what how where when who which
    describe tell compare investigate inspect audit check look understand research explore estimate
    evaluate assess identify locate is are does did has
    prüfe pruefe erkläre erklaere finde analysiere analysieren fasse plane warum was wie wo wer
    welche welcher beschreibe liste zeige vergleiche untersuche suche schau lies bewerte
    explique expliquer trouve analyser résume pourquoi quoi comment où qui décris decris montre
    compare examine cherche lis évalue evalue planifie
    revisa explica encuentra busca analiza planea planifica porqué qué que cómo como dónde donde
    quién quien describe muestra compara investiga lee evalúa evalua
    explique encontre analise resuma planeje porque como onde quem descreva mostre verifique procure leia
    spiega trova analizza riassumi pianifica perché perche cosa come dove chi descrivi mostra confronta
    controlla cerca leggi
    bekijk verklaar vind analyseer waarom wat hoe waar wie beschrijf toon vergelijk zoek lees
    объясни найди проанализируй опиши покажи почему что как где кто сравни проверь перечисли
"""
_READING = frozenset(_READING_WORDS.split())
_READING_SIGNS = (
    "解释", "分析", "审查", "总结", "为什么", "什么", "怎么", "查找", "说明", "描述", "列出", "比较", "检查",
    "なぜ", "何", "どう", "どこ", "설명", "분석", "왜", "무엇", "어떻게", "검토", "요약",
)  # fmt: skip
# Japanese and Korean put the verb last.
_READING_ENDINGS = (
    "説明して", "教えて", "調べて", "分析して", "要約して", "レビューして", "説明してください",
    "教えてください", "調べてください", "설명해줘", "분석해줘", "알려줘", "검토해줘",
)  # fmt: skip
_CHANGING = (
    r"\b(?:and|then|und|dann|et|puis|y|luego|e|poi|en|и|затем)\s+(?:then\s+|also\s+)?"
    r"(?:fix|mend|repair|implement|add|write|create|change|update|remove|delete|refactor|rewrite|replace"
    r"|correct|resolve|improve|migrate|rename|make|build|behebe|repariere|ändere|ergänze|schreibe|corrige"
    r"|répare|ajoute|change|arregla|añade|cambia|corrija|adicione|correggi|aggiungi|исправь|добавь)\b"
)
_TESTS = (
    r"(?i:\btests?\b|\btest[-_ ]?suites?\b|\bsuite\b|\bci/cd\b|\bpruebas?\b|\btestes?\b|\bтест|\bсборк)"
    r"|\bCI\b|\bci (?:is|job|run|pipeline|fails|green|red)\b|测试|构建|テスト|ビルド|테스트|빌드"
)
# "build" is about the build unless it is the verb: `build a login page`.
_BUILD = r"(?i)\bbuilds?\b(?!\s+(?:a|an|the|me|us|out|new|some|another|on|up|it|this|that)\b)"
_PUT_AWAY = (
    r"(?i)\b(?:skip\w*|remov\w+|delet\w+|drop\w*|disabl\w+|ignor\w+|quarantin\w+|rewrit\w+|rewrote|outdated"
    r"|obsolete|wrong|incorrect|stale|xfail|überspring\w*|entfern\w*|lösch\w*|falsch\w*|veraltet\w*"
    r"|saut\w*|supprim\w*|faux|fausse|obsolète|omit\w*|elimin\w*|incorrect\w*|obsolet\w*|пропусти|удали)\b"
)


def is_read_only(goal: str) -> bool:
    """Whether no change is expected: the first verb asks for an answer, and no other for work."""
    import re

    text = goal.strip().lower()
    if re.search(_CHANGING, text):
        return False
    if text.startswith(_READING_SIGNS) or text.rstrip("。.?？!").endswith(_READING_ENDINGS):
        return True
    words = re.findall(r"[^\W\d_][\w'\u2019]*", text)
    first = next((word for word in words if word not in _POLITE), "")
    return first in _READING


def is_about_tests(goal: str) -> bool:
    import re

    if re.search(_TESTS, goal):
        return True
    match = re.search(_BUILD, goal)
    return match is not None and bool(goal[: match.start()].strip())


def may_put_away(goal: str, test: str) -> bool:
    """Whether the goal names this test together with skip, remove, rewrite, outdated, wrong …"""
    import re

    if not re.search(_PUT_AWAY, goal):
        return False
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", goal) for name in _spellings(test))


def _spellings(test: str) -> set[str]:
    """A test's own name, its class and its file, where they cannot be taken for ordinary words."""
    parts = [part.partition("[")[0] for part in test.replace(" > ", "::").split("::")]
    file = parts[0].rpartition("/")[2]
    names = {*parts, file, file.partition(".")[0], parts[-1].rpartition(".")[2]}
    return {name for name in names if _unmistakable(name)}


def _unmistakable(name: str) -> bool:
    lower = name.lower()
    return lower not in ("test", "tests") and any(mark in lower for mark in ("test", "_", " "))


SHORTEST_WORD = 4
# Words that any test, failure or request may hold: sharing one of them says nothing.
_COMMON = """
    test tests testing spec specs suite case cases assert asserts assertion assertionerror error errors
    exception expected expect received actual fail fails failed failing failure passed passes should
    must with without from into this that these those then than when where which while what have
    does done make makes made work works working return returns returned value values type types true
    false none null undefined equal equals object function method class code file files line lines
    name names index main init helper helpers util utils common base module import string number list
    dict args kwargs self line implement implemented implementation change changes changed update
    updates please just also only some more most there their them they your need needs want wants
    would could again after before about over under valueerror typeerror keyerror attributeerror
    runtimeerror indexerror nameerror not_equal strictly
"""
COMMON_WORDS = frozenset(_COMMON.split())


def find_identifiers(text: str) -> set[str]:
    """Lower-case words of at least four letters, with the parts of snake_case and camelCase."""
    import re

    found = set()
    for word in re.findall(r"[^\W\d]\w*", text):
        parts = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", word).split("_")
        for part in (word, *parts):
            bare = part.strip("_0123456789").lower()
            if len(bare) >= SHORTEST_WORD and bare not in COMMON_WORDS:
                found.add(bare)
    return found


def find_stem(path: str) -> str:
    """What a file is about: `tests/test_pay.py`, `pay.spec.ts` and `src/pay.py` are about pay."""
    import re

    name = path.rpartition("/")[2].lower()
    bare = re.sub(r"([._-](tests?|spec))?(\.\w+)+$", "", name).strip("_")
    return re.sub(r"^tests?[_-]|[_-]?tests?$", "", bare)


def find_shared_word(test: str, message: str, goal: str, changed: "Iterable[str]") -> str:
    """The first word that a failure has in common with the goal or a changed file; empty if none."""
    first, *rest = test.replace(" > ", "::").split("::")
    place, _, said = message.partition("  ")
    files = {find_stem(first), find_stem(place.partition(":")[0])} - COMMON_WORDS - {""}
    names = [first.rpartition("/")[2], *rest, said or place]
    about = files | find_identifiers("\n".join(names))
    paths = tuple(changed)
    theirs = {find_stem(path) for path in paths} | find_identifiers(goal)
    theirs |= find_identifiers("\n".join(path.rpartition("/")[2] for path in paths))
    single = {_single(word) for word in theirs - COMMON_WORDS}
    return min((word for word in about - COMMON_WORDS if _single(word) in single), default="")


def _single(word: str) -> str:
    """`discounts` and `discount` are one word."""
    return word[:-1] if word.endswith("s") and len(word) > SHORTEST_WORD + 1 else word
