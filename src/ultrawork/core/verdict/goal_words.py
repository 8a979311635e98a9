"""Made from content/words/goals.toml by `make generate`: change the words there."""
# fmt: off

_SETS = {
    "POLITE": "alsjeblieft bitte can could du favor favore hey hi je kannst kindly kun mal me mir now ok okay per peux plait plaît please pode por pouvez puedes puoi s'il so te tu ultrawork ulw voce você vous would you можешь пожалуйста",
    "READING": "analise analiza analizza analyse analyseer analyser analysiere analysieren analyze are assess audit bekijk beschreibe beschrijf bewerte busca cerca check cherche chi come comment como compara compare confronta controlla cosa cómo decris descreva describe descrivi did does donde dove décris dónde encontre encuentra erklaere erkläre estimate evalua evaluate evalue evalúa examine explain explica explique expliquer explore fasse find finde has hoe how identify inspect investiga investigate is lee lees leggi leia lies lis liste locate look montre mostra mostre muestra onde où perche perché pianifica plan plane planea planeje planifica planifie porque porqué pourquoi procure pruefe prüfe que quem qui quien quién quoi qué research resuma review revisa riassumi résume schau spiega suche summarise summarize tell toon trouve trova understand untersuche vergelijk vergleiche verifique verklaar vind waar waarom warum was wat welche welcher wer what when where which who why wie wo zeige zoek évalue где как кто найди объясни опиши перечисли покажи почему проанализируй проверь сравни что",
    "COMMON_WORDS": "about actual after again also args assert assertion assertionerror asserts attributeerror base before case cases change changed changes class code common could dict does done equal equals error errors exception expect expected fail failed failing fails failure false file files from function have helper helpers implement implementation implemented import index indexerror init into just keyerror kwargs line lines list made main make makes method module more most must name nameerror names need needs none not_equal null number object only over passed passes please received return returned returns runtimeerror self should some spec specs strictly string suite test testing tests than that their them then there these they this those true type typeerror types undefined under update updates util utils value valueerror values want wants what when where which while with without work working works would your",
}

TYPE_CHECKING = False
if TYPE_CHECKING:
    POLITE: frozenset[str]
    READING: frozenset[str]
    COMMON_WORDS: frozenset[str]
else:

    def __getattr__(name: str) -> frozenset[str]:
        if name not in _SETS:
            raise AttributeError(name)
        made = globals()[name] = frozenset(_SETS[name].split())
        return made
READING_STARTS: tuple[str, ...] = ("解释", "分析", "审查", "总结", "为什么", "什么", "怎么", "查找", "说明", "描述", "列出", "比较", "检查", "なぜ", "何", "どう", "どこ", "설명", "분석", "왜", "무엇", "어떻게", "검토", "요약")
READING_ENDS: tuple[str, ...] = ("説明して", "教えて", "調べて", "分析して", "要約して", "レビューして", "説明してください", "教えてください", "調べてください", "설명해줘", "분석해줘", "알려줘", "검토해줘")
JOINTS: tuple[str, ...] = ("and", "then", "und", "dann", "et", "puis", "y", "luego", "e", "poi", "en", "и", "затем")
CHANGING: tuple[str, ...] = ("fix", "mend", "repair", "implement", "add", "write", "create", "change", "update", "remove", "delete", "refactor", "rewrite", "replace", "correct", "resolve", "improve", "migrate", "rename", "make", "build", "behebe", "repariere", "ändere", "ergänze", "schreibe", "corrige", "répare", "ajoute", "arregla", "añade", "cambia", "corrija", "adicione", "correggi", "aggiungi", "исправь", "добавь")
TESTS: tuple[str, ...] = ("test", "tests", "testsuite", "testsuites", "test_suite", "test_suites", "suite", "ci/cd", "prueba", "pruebas", "teste", "testes", "тест*", "сборк*")
TESTS_ANYWHERE: tuple[str, ...] = ("测试", "构建", "テスト", "ビルド", "테스트", "빌드")
AFTER_BUILD_VERB: tuple[str, ...] = ("a", "an", "the", "me", "us", "out", "new", "some", "another", "on", "up", "it", "this", "that")
PUTTING_AWAY: tuple[str, ...] = ("skip*", "remov?*", "delet?*", "drop*", "disabl?*", "ignor?*", "quarantin?*", "rewrit?*", "rewrote", "outdated", "obsolete", "wrong", "incorrect", "stale", "xfail", "überspring*", "entfern*", "lösch*", "falsch*", "veraltet*", "saut*", "supprim*", "faux", "fausse", "obsolète", "omit*", "elimin*", "incorrect*", "obsolet*", "пропусти", "удали")
