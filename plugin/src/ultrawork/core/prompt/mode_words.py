"""Made from words/modes.toml by `make generate`: change the words there."""
# fmt: off

NAMES: dict[str, tuple[str, ...]] = {"ultrapilot":("ultrapilot","ultra pilot","ultra-pilot","parallel build","swarm build"),"ultraqa":("ultraqa","ultra qa","ultra-qa","qa cycle","qa cycles","qa-cycle","qa cycling","qa loop","qa-loop"),"autopilot":("autopilot","auto pilot","auto-pilot","full auto","full-auto","fullsend"),"ralph":("ralph","ralph loop","ralph-loop"),"team":("team",),"swarm":("swarm","coordinated agents"),"pipeline":("pipeline","chain agents","chain the agents","chain some agents","chain these agents"),"ultrawork":()}
OTHERS: dict[str, str] = {"tdd":"tdd","test first":"tdd","test-first":"tdd","git-master":"git-master","frontend-ui-ux":"frontend-ui-ux","security-review":"security-review"}
QUALIFIED: dict[str, tuple[str, ...]] = {"team":("coordinated","agent"),"pipeline":("agent",)}
OTHER_SENSES: dict[str, tuple[str, ...]] = {"autopilot":("gke","cluster","clusters","tesla","drone","drones","uav","aircraft","plane","planes","airplane","flight","flights","boat","car","cars","vehicle","vehicles","px4","ardupilot","waypoint","waypoints","steering","cruise","intune","cockpit","flugzeug","avion","avión","avião","aereo","vliegtuig","samolot","самолёт","самолет"),"team":("slack","microsoft","ms","football","soccer","member","members","lead","leads","player","players","roster","invite","invites","standup","meeting","meetings","hr"),"swarm":("docker","bees","bee","particle","particles","optimisation","optimization","boids","ipfs","drone","drones"),"pipeline":("ci","cd","ci/cd","jenkins","gitlab","github","azure","etl","sklearn","scikit-learn","spark","kafka","airflow","rendering","render","graphics","shader","gpu","vulkan","deploy","deployment","deploys","stage","stages","circleci","bitbucket","buildkite","dbt","yaml","data","oil","gas","transform","transforms"),"ultrapilot":("make","gradle","bazel","cmake","ninja","msbuild","webpack","maven","ci","docker"),"ralph":("lauren","fiennes","waldo","emerson","macchio","nader","breaker","wrecks")}
FULL_NAMES: dict[str, tuple[str, ...]] = {"team":("mode","run"),"pipeline":("mode",)}
CANCEL: tuple[str, ...] = ("cancelomc","stopomc")
OWN: tuple[str, ...] = ("cancelomc","stopomc","ultraqa","ultra qa","ultra-qa")
COMMON: tuple[str, ...] = ("team","pipeline")
WITH_WORKERS: tuple[str, ...] = ("team","swarm","pipeline")
JOINING: tuple[str, ...] = ("","+","and","&",",","/","with","plus","in","mode","mode,","mode and","mode +","mit","und","et","avec","y","con","e","com","en","met","i","и","和","与","と","랑","과","와","하고","및")
COMPOUNDS: tuple[str, ...] = ("-modus","-mode","-modo","-loop")
CJK_MODES: tuple[str, ...] = ("モード","模式","모드")
ARROWS: tuple[str, ...] = ("->","→","=>")
EVERYDAY_STEMS: tuple[str, ...] = ("build me","create me","make me","develop me","i want","i'd like","i’d like","handle"," stop"," give up"," quit"," rest","keep","must complete")
_SETS = {
    "NUMBERS": "eight five four many multiple nine parallel seven several six ten three two",
    "SORTS": "coding coordinated parallel sub sub- worker",
    "WORKERS": "agents executors sub-agents subagents workers",
    "ARTICLES": "a an the",
    "CALLS": "assemble create deploy form get have launch let send set spawn spin start use",
    "BESIDE": "ccg deepsearch ralplan tdd ultrathink",
    "AGENTS": "analyst architect build-fixer code-reviewer critic debugger deep-executor designer document-specialist executor explore explorer implementer planner qa-tester quality-reviewer reviewer scientist security-reviewer tdd-guide test-engineer tester verifier worker writer",
    "VERBS_OF_OURS": "add beat claim clear done fail join list next read show start status stop write",
    "VERBS": "adapt add address adiciona adicione aggiungi agrega agregar ajeite ajoute ajouter ajoutez améliore améliorez apply arbeite arregla arreglar arrume arréglame ask automate añade bau baue beende behebe bereinige bouw bring buat bump bygg carry clean close collect completa complete configure connect conserta conserte consolidate construa construir construis construisez construye continue convert correct correggere correggi corrige corriger corrigez corrija costruisci cover crea crear create cria criar crie créame crée créer créez cut debug delete deliver deploy desarrolla desenvolva develop divide do document dodaj dokonči dokończ draft drive développe düzelt ekle elimina eliminate enable ensure entferne entwickle ergänze erledige erstelle erzeuge escreva escribe escribir establish execute expand extend extract fai fais faites faz faça figure fiks finalise finalize find finis finisci finish fix fixa förbättra füge führe geliştir generate get give go grind gör hammer handle harden haz hazme herschrijf herstel implement implementa implementar implementare implemente implementeer implementera implementiere implémente implémenter improve increase ingest install integrate introduce investigate keep knock korrigiere lag laga let limpe limpia localise localize los lägg lös löse maak mach mache make mejora mejorar melhore mend merge mets migliora migra migrate migre migreer migriere modernise modernize move napisz napiš napraw nettoie nettoyez normalise normalize oluştur ontwikkel oprav optimaliseer optimiere optimise optimiza optimize organise organize otimize ottimizza overhaul perbaiki pick please polish popraw port posprzątaj prepare produce profile prune przepisz przetłumacz prüfe publish pulisci push put přidej rebuild reduce reescreva reescribe refactor refactorise refactorisez refactoriza refactorizar refais refaktorier refaktoriere refatora refatore refattorizza reimplement remova remove remplace rename rends reorganise reorganize repair repara reparar repareer repariere replace reproduce resolva resolve restore restructure resuelve revamp revive rework rewrite rid rifattorizza ripara riscrivi risolvi rozwiąż ruim run räum répare réparer réparez résous réécris scaffold schreib schreibe schrijf scrivi secure selesaikan setze ship simplify sistema skapa skriv slutför soluciona solve sort speed split squash stell strip stwórz submit supprime sviluppa swap sweep sửa tackle take tamamla tambahkan termina terminar termine terminer teste thêm tidy tighten tilføj traduce traduci traduis traduza translate trim turn tạo unify untangle update upgrade use usuń validate verbesser verbessere verbeter verify vertaal verwijder viết voeg vytvoř wire write yap yaz zaimplementuj zbuduj zieh zmigruj zoptymalizuj zrefaktoryzuj zrób écris écrivez überarbeite übersetze добавь доделай допиши заверши закончи замени исправить исправь напиши обнови оптимизируй отрефактори переведи перенеси перепиши построй почини починить разработай реализовать реализуй рефактори сделай собери создай удали улучши",
    "BOTH": "audit backup benchmark build bump cache call change check cleanup clone deploy design download dump fork format index link lint log look loop map mock open outline package patch plan process queue read rebase refactor release report research review scan search sketch stack start stream stub sync test type upload watch work",
    "OBJECTS": "all another any both each every everything it me more no out some that them these this those up us",
    "COUNTED": "agent agents executor executors helpers sub-agents subagents tasks worker workers",
    "TOWARDS": "aby att até bis damit dla do fino for för für hasta için jusqu'à om on over para per pour pra through till to tot um until voor while with zum żeby для до чтобы",
    "LETTING": "deja get have laat laisse lascia lass let like möchte need prefer quero quiero soll sollte veux voglio want wil will",
    "COMPANY": "abstimmen agree agreed align along appointment argue beers besprechen besprochen call catch chat check coffee collaborate confirm coordinate coordinated dinner discuss discussed discuter double-check follow-up hablar interview lunch meet meeting met pair paired parlare parler praten reden rendez-vous reunião reunión review riunione réunion share shared speak spoke spotkanie sprechen sync sync-up talk talked termin together treffen work worked works встреча обсудить созвон",
    "GREETINGS": "bonjour bye ciao danke dear good gracias haha hallo hello hey hi hola lol merci morning olá sorry thank thanks thx welcome yo привет спасибо",
    "DEFECTS": "absturz bogue broken bug bugs button błąd crash crashes crashing defect erreur erreurs erro error errore errores errors exception failing failure failures falha fallo fehler fout glitch happen happens issue issues leak leaks occurring occurs only problem problems problème regression toggle typo warning ошибка ошибку",
    "RELATIVES": "as everything how if that till until what whatever when where wherever which whichever who why",
    "NO_VERBS": "called made oder or ou stuff thing things used versus vs which who whose",
    "ENGLISH_USES": "activate begin do enable engage fire go hit in into invoke launch let's lets on run running start switch to trigger try turn under unleash use using via with",
    "CHOOSING": "benutze gebruik nimm nutze usa use using utilise użyj verwende используй",
    "INDEFINITE_ARTICLES": "a an een ein eine um uma un una une",
    "MANNERS": "loop style",
    "AIMS": "against at",
    "DUTIES": "must should to",
    "COURTESIES": "bitte please pls stp svp",
    "SOFT": "go just now ok okay please then",
    "BEFORE_END": "and bitte hey now ok okay please",
    "END_VERBS": "abort cancel end exit kill leave quit stop",
    "END_MANNERS": "loop mode run",
    "LATE_ENDS": "cancel off stop",
    "AFTER_END": "bitte here immediately it now please",
}


def __getattr__(name: str) -> frozenset[str]:
    if name not in _SETS:
        raise AttributeError(name)
    made: frozenset[str] = frozenset(_SETS[name].split())
    globals()[name] = made
    return made
