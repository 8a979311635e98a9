"""Made from words/thinking.toml by `make generate`: change the words there."""
# fmt: off

_SETS = {
    "OPINIONS": "did didn't do don't dont he i people she they we would you",
}


def __getattr__(name: str) -> frozenset[str]:
    if name not in _SETS:
        raise AttributeError(name)
    made: frozenset[str] = frozenset(_SETS[name].split())
    globals()[name] = made
    return made
WHOLE: tuple[str, ...] = ("denk","denke","denken","nachdenken","überlege","überlegen","überleg","piensa","piense","pensar","reflexiona","pense","pensez","réfléchis","réfléchissez","réfléchir","pensa","pensi","pensare","rifletti","riflettere","reflita","refletir","denkt","nadenken","tänk","tänka","tænk","tænke","tenk","tenke","ajattele","miettiä","mieti","pomyśl","myśl","myśleć","zastanów","подумай","подумайте","думай","думайте","обдумай","поміркуй","подумати","myslet","mysli","přemýšlej","premýšľaj","gondolkodj","gondold","düşün","düşünün","gândește","gândiți","σκέψου","σκεφτείτε","berpikir","pikirkan","fikirkan","suy nghĩ","nghĩ kỹ","mufikiri","fikiri","حلل","فكر","فكّر","تفكير","חשוב","תחשוב","लगता","सोचो","सोचें","सोचिए","ভাবো","ভাবুন","சிந்தி","ఆలోచించు")
ANYWHERE: tuple[str, ...] = ("생각","고민","검토","思考","想一想","考虑","考慮","琢磨","仔细想","考え","熟考","考えて","คิด","พิจารณา")
