"""Whether a person asks for careful thought, in whichever language."""

_OPINIONS = (
    "i", "we", "you", "they", "he", "she", "people", "would", "do", "did", "don't", "didn't", "dont",
)  # fmt: skip
# Stems that other languages use to ask for it; those without blanks between words match anywhere.
_WHOLE = (
    "denk", "denke", "denken", "nachdenken", "überlege", "überlegen", "überleg", "piensa", "piense", "pensar",
    "reflexiona", "pense", "pensez", "réfléchis", "réfléchissez", "réfléchir", "pensa", "pensi", "pensare",
    "rifletti", "riflettere", "reflita", "refletir", "denkt", "nadenken", "tänk", "tänka", "tænk", "tænke",
    "tenk", "tenke", "ajattele", "miettiä", "mieti", "pomyśl", "myśl", "myśleć", "zastanów", "подумай",
    "подумайте", "думай", "думайте", "обдумай", "поміркуй", "подумати", "myslet", "mysli", "přemýšlej",
    "premýšľaj", "gondolkodj", "gondold", "düşün", "düşünün", "gândește", "gândiți", "σκέψου", "σκεφτείτε",
    "berpikir", "pikirkan", "fikirkan", "suy nghĩ", "nghĩ kỹ", "mufikiri", "fikiri", "حلل", "فكر", "فكّر",
    "تفكير", "חשוב", "תחשוב", "लगता", "सोचो", "सोचें", "सोचिए", "ভাবো", "ভাবুন", "சிந்தி", "ఆలోచించు",
)  # fmt: skip
_ANYWHERE = (
    "생각", "고민", "검토", "思考", "想一想", "考虑", "考慮", "琢磨", "仔细想", "考え", "熟考", "考えて", "คิด", "พิจารณา",
)  # fmt: skip


def strip_code(text: str) -> str:
    import re

    return re.sub(r"`[^`\n]+`", "", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


def wants_thinking(text: str) -> bool:
    """`think about this`, `ultrathink`, `réfléchissez`; not code, and not `I think`."""
    import re

    plain = strip_code(text).lower()
    if wants_ultrathink(text) or any(word in plain for word in _ANYWHERE):
        return True
    if any(re.search(rf"(?<!\w){word}(?!\w)", plain) for word in _WHOLE):
        return True
    before = [plain[: one.start()].split() for one in re.finditer(r"\bthink\b", plain)]
    return any(not words or words[-1].strip(",.;:") not in _OPINIONS for words in before)


def wants_ultrathink(text: str) -> bool:
    import re

    return re.search(r"\bultrathink\b", strip_code(text), re.IGNORECASE) is not None
