"""
The words of the modes, and the words beside them that tell a request from a mention.

The first table is what document 004 calls them. Names that mean nothing else are judged as `ulw` is; those
that are ordinary words too need a sign that work is asked for.
"""

from ..modes import modes


def _set(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


CANCEL = "cancel"
# What a mode is called; in two words it may have a hyphen.
NAMES = {
    CANCEL: ("cancelomc", "stopomc"),
    modes.ULTRAPILOT: ("ultrapilot", "ultra pilot", "ultra-pilot", "parallel build", "swarm build"),
    modes.ULTRAQA: (
        "ultraqa", "ultra qa", "ultra-qa", "qa cycle", "qa cycles", "qa-cycle", "qa cycling", "qa loop", "qa-loop",
    ),
    modes.AUTOPILOT: ("autopilot", "auto pilot", "auto-pilot", "full auto", "full-auto", "fullsend"),
    modes.RALPH: ("ralph", "ralph loop", "ralph-loop"),
    modes.TEAM: ("team",),
    modes.SWARM: ("swarm", "coordinated agents"),
    modes.PIPELINE: ("pipeline", "chain agents", "chain the agents", "chain some agents", "chain these agents"),
}  # fmt: skip
# `a team of 5 coding agents`, `swarm 3 workers`: a crew makes it plain what is meant.
CREWED = ("team", "swarm", "pipeline")
NUMBERS = _set("two three four five six seven eight nine ten several many multiple parallel")
SORTS = _set("parallel coding coordinated worker sub sub-")
CREW = _set("agents workers executors subagents sub-agents")
# So does a word before it.
QUALIFIED = {"team": ("coordinated", "agent"), "pipeline": ("agent",)}
ARTICLES = ("a", "an", "the")
CALLS = _set("have let spawn create assemble form deploy launch start use get send spin set")
# Enhancements of a composition: only beside a mode.
OTHERS = {
    "tdd": "tdd",
    "test first": "tdd",
    "test-first": "tdd",
    "git-master": "git-master",
    "frontend-ui-ux": "frontend-ui-ux",
    "security-review": "security-review",
}
# Words of document 004 that are no modes; they may stand between a mode and its request.
BESIDE = _set("ccg ralplan ultrathink deepsearch tdd")
# Names that nobody has another use for; so are the words of ultrawork.
OWN = ("cancelomc", "stopomc", "ultraqa", "ultra qa", "ultra-qa")
# Words of every project's talk: more than a verb beside them has to tell that agents are meant.
COMMON = frozenset((modes.TEAM, modes.PIPELINE))
# Phrases that say by themselves that agents are meant, or that it is a way to work.
TELLING = ("agent", "worker", "executor", "coordinated", "on auto")
# A chain of these is a pipeline of ours, not one of a build server.
AGENTS = _set(
    "analyst architect code-reviewer critic debugger deep-executor designer document-specialist executor explore",
    "explorer planner qa-tester quality-reviewer reviewer scientist security-reviewer tdd-guide test-engineer",
    "tester verifier worker writer build-fixer implementer",
)
ARROWS = ("->", "\u2192", "=>")

# What our own program takes after the name of a mode.
VERBS_OF_OURS = _set(
    "start add claim beat done fail status stop clear join next list show read write"
)

# In the same sentence the word means something else.
OTHER_SENSES = {
    modes.AUTOPILOT: _set(
        "gke cluster clusters tesla drone drones uav aircraft plane planes airplane flight flights boat",
        "car cars vehicle vehicles px4 ardupilot waypoint waypoints steering cruise intune cockpit flugzeug",
        "avion avión avião aereo vliegtuig samolot самолёт самолет",
    ),
    modes.TEAM: _set(
        "slack microsoft ms football soccer member members lead leads player players roster invite",
        "invites standup meeting meetings hr",
    ),
    modes.SWARM: _set("docker bees bee particle particles optimisation optimization boids ipfs drone drones"),
    modes.PIPELINE: _set(
        "ci cd ci/cd jenkins gitlab github azure etl sklearn scikit-learn spark kafka airflow rendering render",
        "graphics shader gpu vulkan deploy deployment deploys stage stages circleci bitbucket buildkite dbt yaml",
        "data oil gas transform transforms",
    ),
    modes.ULTRAPILOT: _set("make gradle bazel cmake ninja msbuild webpack maven ci docker"),
    modes.RALPH: _set("lauren fiennes waldo emerson macchio nader breaker wrecks"),
}  # fmt: skip

# Imperatives (and infinitives that serve as such) that are nothing but verbs.
VERBS = _set(
    "add adapt address apply ask automate bring bump carry clean close collect complete configure connect",
    "consolidate continue convert correct create cut debug delete deliver deploy develop divide do document",
    "drive eliminate enable ensure establish execute expand extend extract figure finalise finalize find",
    "finish fix generate get give go grind hammer handle harden implement improve increase ingest install",
    "integrate introduce investigate keep knock let localise localize make mend merge migrate modernise",
    "modernize move normalise normalize optimise optimize organise organize overhaul pick polish port prepare",
    "produce profile prune publish push put rebuild reduce refactor reimplement remove rename reorganise",
    "reorganize repair replace reproduce resolve restore restructure revamp revive rewrite rework run scaffold secure ship",
    "simplify solve sort speed split squash strip submit swap sweep tackle take tidy tighten translate trim",
    "turn unify untangle update upgrade use validate verify wire write make remove rid cover draft please",
    "baue bau behebe bereinige beende bring ergänze erledige erstelle erzeuge führe füge implementiere",
    "korrigiere lös löse mach mache migriere optimiere refaktoriere refaktorier repariere schreib schreibe",
    "setze stell überarbeite übersetze verbessere verbesser zieh arbeite teste prüfe räum entwickle entferne",
    "ajoute ajouter ajoutez améliore améliorez construis construisez corrige corriger corrigez crée créer",
    "créez développe écris écrivez fais faites finis implémente implémenter migre nettoie nettoyez optimise",
    "refactorise refactorisez répare réparer réparez réécris remplace résous supprime termine terminer traduis",
    "mets rends refais",
    "agrega agregar añade arregla arreglar arréglame completa construye construir corrige crea crear créame",
    "desarrolla elimina escribe escribir haz hazme implementa implementar limpia mejora mejorar migra",
    "optimiza refactoriza refactorizar repara reparar reescribe resuelve soluciona termina terminar traduce",
    "adicione adiciona ajeite arrume conserta conserte construa corrija cria criar crie desenvolva escreva",
    "faça faz implemente limpe melhore migre otimize refatore refatora remova reescreva resolva termine traduza",
    "aggiungi completa correggi correggere costruisci crea elimina finisci fai implementa implementare",
    "migliora migra ottimizza pulisci refattorizza rifattorizza ripara riscrivi risolvi scrivi sistema",
    "sviluppa termina traduci",
    "bouw herschrijf herstel implementeer los maak migreer ontwikkel optimaliseer refactor repareer ruim",
    "schrijf verbeter vertaal verwijder voeg",
    "dodaj napisz napraw popraw posprzątaj przepisz przetłumacz rozwiąż stwórz usuń zaimplementuj zbuduj zrób",
    "zmigruj zoptymalizuj dokończ zrefaktoryzuj",
    "добавь доделай допиши закончи замени исправь исправить напиши обнови оптимизируй отрефактори перепиши",
    "перенеси переведи почини починить построй реализуй реализовать рефактори сделай создай удали улучши",
    "разработай собери заверши",
    "bygg fixa laga lägg skriv skapa gör förbättra slutför implementera lag fiks tilføj",
    "düzelt ekle oluştur yap tamamla geliştir yaz perbaiki buat tambahkan selesaikan sửa tạo viết thêm oprav",
    "přidej vytvoř napiš dokonči",
)
# Verbs that are nouns as well: what follows must be their object.
BOTH = _set(
    "build test plan review design research release check deploy patch benchmark search audit start work",
    "change package rebase process scan map link lint format type report call fork clone stub mock bump log",
    "open read watch look sketch outline loop stack cache queue index stream sync dump upload download backup cleanup refactor",
)
# What makes an object of what follows.
OBJECTS = _set(
    "this that it these those everything all every each any both them us me another more some no up out",
)
COUNTED = _set("agents workers executors agent worker executor subagents sub-agents helpers tasks")
# After a word of ours, in a request: `ralph on this`, `autopilot for the login`.
TOWARDS = _set(
    "to for on until till through over with while bis um damit jusqu'à hasta até fino tot do до für pour para pra",
    "per voor om dla żeby aby для чтобы för att için zum",
)
# Whoever lets somebody do it: `let ralph fix it`, `I want autopilot to …`.
LETTING = _set(
    "let have get want need like prefer lass soll sollte möchte will laisse veux deja quiero quero lascia voglio laat wil"
)
# `talk with Ralph`.
COMPANY = _set(
    "agree agreed align argue call chat check coordinate coordinated discuss discussed double-check lunch meet",
    "meeting met pair paired share shared sync sync-up spoke speak talk talked work works worked together along",
    "call review collaborate confirm follow-up catch dinner beers coffee appointment interview",
    "sprechen besprechen besprochen reden abstimmen termin treffen parler discuter rendez-vous réunion hablar",
    "reunión reunião parlare riunione praten spotkanie встреча созвон обсудить",
)
GREETINGS = _set(
    "hello hey hi yo thanks thank thx bye sorry dear good morning ciao hallo hola bonjour olá danke merci gracias",
    "привет спасибо welcome lol haha",
)
# `the crash in autopilot mode`: the place of a defect, not the way to work.
DEFECTS = _set(
    "bug bugs crash crashes issue issues problem problems error errors failure failures regression typo defect",
    "glitch leak leaks happens happen occurs occurring crashing failing exception warning toggle button only",
    "fehler absturz problème erreur erreurs bogue error errores fallo erro falha errore fout błąd ошибка ошибку",
)
RELATIVES = _set(
    "what that which who whatever whichever everything if when until till why how where as wherever"
)
# Among the words that make a subject of what stands before them, but no verbs.
NO_VERBS = _set("thing things stuff which who whose vs versus or oder ou used made called")

# `build me an app`: things that are made from nothing, as a whole.
PRODUCTS = _set(
    "app apps application webapp web-app website site webshop shop store game platform system service services",
    "microservice api apis backend back-end frontend front-end server tool cli bot chatbot dashboard clone portal",
    "saas product mvp prototype marketplace blog crm cms wiki tracker planner editor player simulator",
    "extension plugin engine compiler interpreter database orm framework sdk package pwa",
    "program software solution suite scraper crawler manager generator viewer calculator quiz forum newsletter",
    "pomodoro kanban",
)
# Too general by themselves: `I want a service that …` is said of one that is there already.
VAGUE = _set(
    "service services system store clone player server editor manager engine database package plugin tool solution",
    "program product generator viewer planner framework orm sdk suite software api apis backend frontend",
)
AFTER_THING = _set(
    "that which with for to in using where so who called named like and from on based written where when by",
    "whose as powered of inside similar including featuring, plus",
)
# Until when: `don't stop until all tests pass`.
DONE = _set(
    "pass passes passing passed green done finished finish finishes complete completed completes works work",
    "working fixed verified succeed succeeds success ready clean implemented merged resolved solved compiles compile",
    "builds shipped deployed correct perfect 100 zero everything whole ticked checked empty nothing",
)
# Verbs of use in English; those of other languages are seldom said of anything else.
ENGLISH_USES = _set(
    "activate begin do enable engage fire go hit invoke launch let's lets on run running start switch to",
    "trigger try turn under unleash use using via with in into",
)
CHOOSING = _set("use using nimm nutze benutze verwende utilise usa use gebruik użyj используй")
