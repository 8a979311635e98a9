"""Made from words/everyday.toml by `make generate`: change the words there."""
# fmt: off

MAKING: tuple[str, ...] = ("build me","create me","make me","develop me")
WANTING: tuple[str, ...] = ("i want","i'd like")
ALL_OF_IT: tuple[str, ...] = ("handle it all","handle everything","handle all of it")
LASTING: tuple[str, ...] = ("don't stop","don't give up","don't quit","don't rest","do not stop","do not give up","do not quit","do not rest","dont stop","dont give up","dont quit","dont rest","never stop","never give up","never quit","never rest")
KEEPING: tuple[str, ...] = ("keep working","keep going","keep trying","keep iterating","keep fixing","keep at it")
INSISTING: tuple[str, ...] = ("must complete",)
BEFORE_BIDDING: tuple[str, ...] = ("","and","but","then","so","please","just","you","also","now","ok","okay")
_SETS = {
    "WORKING": "fixing going iterating trying working",
    "SOME": "a an another some",
    "BE": "are be been is was were",
    "UNTIL": "till until",
    "AFTER_LASTING": "before now please",
    "PRODUCTS": "api apis app application apps back-end backend blog bot calculator chatbot cli clone cms compiler crawler crm dashboard database editor engine extension forum framework front-end frontend game generator interpreter kanban manager marketplace microservice mvp newsletter orm package planner platform player plugin pomodoro portal product program prototype pwa quiz saas scraper sdk server service services shop simulator site software solution store suite system tool tracker viewer web-app webapp webshop website wiki",
    "VAGUE": "api apis backend clone database editor engine framework frontend generator manager orm package planner player plugin product program sdk server service services software solution store suite system tool viewer",
    "AFTER_THING": "and as based by called featuring, for from in including inside like named of on plus powered similar so that to using when where which who whose with written",
    "DONE": "100 builds checked clean compile compiles complete completed completes correct deployed done empty everything finish finished finishes fixed green implemented merged nothing pass passed passes passing perfect ready resolved right shipped solved succeed succeeds success ticked verified whole work working works zero",
}


def __getattr__(name: str) -> frozenset[str]:
    if name not in _SETS:
        raise AttributeError(name)
    made: frozenset[str] = frozenset(_SETS[name].split())
    globals()[name] = made
    return made
