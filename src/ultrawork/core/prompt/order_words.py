"""
The words that tell a request *with* the keyword from talk *about* it, of many languages at once.

Each table is one role that a word can have beside the keyword. Read only when a prompt holds it.
"""
# ruff: noqa: RUF001 - words in Cyrillic, Greek and Turkish letters


def _set(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


# May stand before the keyword without changing what is meant.
FILLERS = _set(
    "a ah ahead alright also and anyway ay btw but claude codex come cool dear finally first full fully gemini",
    "good great guys hello hey hi hm hmm just kindly lastly next nice now ok okay oh oi once pls",
    "please plz quickly really right simply so sure team thanks then today too um well wow yeah yep yes yo",
    "aber also bitte dann danke doch einfach erst gut hallo jetzt mal nun nur schnell so und",
    "alors bon bonjour d'accord donc enfin et maintenant merci mais plaît puis s'il stp svp te vous",
    "ahora bien bueno entonces favor hola pero por pues vale venga y ya",
    "agora beleza bom então ei favor mas obrigado olá por",
    "adesso allora bene ciao dai e ora per poi favore quindi ma",
    "alsjeblieft alstublieft dan dus en eens even graag hallo maar nu oké",
    "a dobra dobrze ok proszę teraz więc cześć",
    "а давай ладно но ну пожалуйста потом привет так теперь тогда и",
    "lütfen şimdi tamam hadi snälla nu och vänligen tack venligst nå og takk",
    "hãy nhé tolong ayo sekarang prosím teď tak παρακαλώ τώρα من فضلك الآن",
)
# Words of courtesy that may follow it.
CLOSERS = _set(
    "again all asap bitte everything favor graag here it kérem lütfen mal mode modus modo",
    "now ok okay on once please pls plz proszę svp thanks that then this time today too",
    "пожалуйста nu now hier jetzt",
)
# Verbs and prepositions that put it to use.
USES = _set(
    "activate begin do enable engage fire go hit invoke launch let's lets run running start",
    "trigger try under unleash use using via with",
    "aktiviere benutze benutzen benutzend lass mit mithilfe mittels nimm nutze nutzen per starte",
    "verwende verwenden via",
    "active activez avec démarre lance lancez passe utilise utiliser utilisez utilisant",
    "activa activar aplica con inicia lanza mediante pon usa usad usando usar use utiliza utilizando",
    "utilizar vía",
    "ativa ative com inicie usando utilize utilizando",
    "attiva avvia lancia mediante tramite usare usate utilizza utilizzando",
    "activeer gebruik gebruikend met middels start zet",
    "przez użyj użyć używając uruchom włącz z za ze",
    "включи запусти используй используйте используя использовать помощью применив примени с со через",
    "använd bruk brug bruke bruge med kör start starta dùng sử dụng bằng với dengan gunakan pakai",
    "použij pomocí s se spusť με χρησιμοποίησε χρησιμοποιώντας باستخدام استخدم مع kullan kullanarak इस्तेमाल उपयोग प्रयोग",
)
# The same, standing after it.
USES_AFTER = _set("ile kullan kullanarak kullanıp moduyla modunda से इस्तेमाल")
# Prepositions that say where: only with a word for mode do they put it to use.
PLACES = _set(
    "in im en em dans nel nella no na w we в во i på di trong v στο في into inside within ins"
)
MODES = _set(
    "mode modus modo modalità modalita tryb trybie trybu режим режиме режимом läge läget modunu",
    "moduyla modunda mod režim režimu chế độ λειτουργία وضع",
)
# What may stand between such a word and the keyword.
DETERMINERS = _set(
    "the a an this that these those our your my his her its their any some each every another",
    "last latest previous current whole old new actual entire existing",
    "der die das den dem des ein eine einen einem einer unser unsere mein meine dein deine dieser",
    "diese dieses le la les un une des ce cette ces mon ma mes ton ta notre votre el los las una",
    "este esta ese esa mi tu su nuestro o os as um uma meu minha seu sua il lo gli l'  uno questo",
    "questa mio tuo suo het een de onze mijn jouw dit ten ta te mój moja nasz этот эта это мой наш",
    "den det ett bu şu",
)
# Before it, they make it a thing that is spoken about.
MENTIONS = _set(
    "about above across by on upon except excluding außer sauf excepto exceto behalve кроме oprócz",
    "say saying type types typed typing print prints contain contains containing comparing describing",
    "discussing explaining introducing supporting spelled written against alongside around as at behind beside besides between beyond called",
    "concerning covering despite following for from including like mention mentioning mentions",
    "named of off onto or over regarding than to toward unlike versus vs",
    "after although because before if since that though unless until when whenever where",
    "whether while why how what which who",
    "am are be been being is was were means meant says said",
    "branch hashtag keyword name phrase string symbol term variable word",
    "über von vom für aus zu zum zur bei namens genannt gegen oder wenn ob weil dass während nach vor",
    "wort begriff schlüsselwort ist heißt",
    "de du des d'  sur pour vers chez contre quoi ou si quand parce que qu'  nommé appelé nommée mot",
    "del sobre para hacia contra o cuando porque llamado llamada palabra es",
    "do da dos sobre pra ou quando porque chamado chamada palavra é",
    "di della dello su per verso o se quando perché chiamato chiamata parola è",
    "van over voor naar bij tegen of als omdat genaamd woord opdracht is",
    "o dla od do lub czy gdy jeśli ponieważ nazwany nazwie słowo jest",
    "о об про для от к или если когда потому что слово по",
    "om för till från eller heter ord kallad hakkında için veya về cho của tentang untuk dari",
    "για από عن",
)
# The same, unless it is the last word: `the script ulw fails`, but `fix the script ulw`.
KINDS = _set(
    "class column command field file flag folder function handle key label library method module",
    "option package plugin program project repo script setting token tool befehl plugin commande",
    "comando komenda команда",
)
# After it, a new request begins.
ANDS = _set("and und et y e en i и")
JOINTS = _set("and then but so please und dann et puis y luego e poi en dan i и потом")
# `familiar with ulw` is no use of it.
TROUBLES = _set(
    "compared compatible compatibility compare comes conflict conflicts deal dealing experience",
    "experiences experiment familiar happen happened happening happens happy help integrate",
    "integrated integrates integration interfere interferes play question questions started trouble",
    "unhappy work worked working works wrong",
    "erfahrung erfahrungen vergleich vergleiche expérience experiencia experiência esperienza",
    "ervaring doświadczenie опыт",
)
# After it, they make it the subject of a sentence.
FINITES = _set(
    "am are can can't cannot could couldn't did didn't does doesn't had hadn't has hasn't have is",
    "isn't may might must should shouldn't used was wasn't were will won't would wouldn't",
    "ate became becomes blocked blocks breaks broke called came caught causes",
    "changed comes cost counts crashed crashes decided decides detects deleted",
    "didnt doesnt isnt ended ends failed fails feels felt fires finished finishes found gave gets",
    "gives goes got handles hangs happened helped helps ignored ignores kept keeps knows left lets",
    "lives looks made makes meant means missed needs offers picked produces ran refused",
    "refuses requires ruined runs said saved says seemed seems sends sent showed shows sits",
    "sounds spawned stands started starts stopped stops stuck supports takes tells thinks",
    "thought told took treats tries triggered triggers turned turns uses wants wasn't went works",
    "worked writes wrote vs versus or oder ou appears belongs depends exists happens matters occurs",
    "replaces rocks sucks stuff thing things which who whose",
    "ist war wird hat kann soll sollte funktioniert macht heißt bedeutet läuft geht steht bleibt",
    "würde könnte muss darf braucht kostet hängt findet sagt tut scheint",
    "est était fait fonctionne marche signifie peut doit sert semble n'est coûte",
    "es está era fue hace funciona significa puede debe tiene sirve parece",
    "é foi faz pode deve tem serve parece",
    "è fa funziona significa può deve ha serve sembra",
    "doet werkt betekent kan moet heeft wordt lijkt",
    "jest był działa oznacza robi może musi ma służy kosztuje",
    "это был была работает означает делает может должен значит есть умеет стоит",
    "är var gör fungerar betyder kan er gjør virker fungerer nedir demek işe çalışmıyor çalışıyor",
    "là gì hoạt adalah itu je dělá funguje znamená είναι κάνει هو هي يعمل है क्या",
)
# ... unless the person is then spoken to: `ulw can you …`.
ADDRESSED = _set("you u we please pls y'all ya")
# After it in the middle of a sentence, they make it the name of something.
THINGS = _set(
    "keyword keywords word words trigger plugin plugins hook hooks command commands detector docs",
    "documentation readme feature tool tools package repo repository marketplace session sessions",
    "verdict verdicts receipt receipts statusline config configuration settings website logs author",
    "team maintainers users source codebase",
)
# ... and these even at the beginning.
SURE_THINGS = _set("keyword plugin docs documentation readme marketplace")

# Before a noun: `without ulw`, but not `without mocks ulw`.
WITHOUTS = _set(
    "without ohne kein keine keinen keinem sans aucun aucune sin ningún sem senza nessun geen zonder",
    "bez без utan uten tanpa χωρίς بدون बिना",
)
NEGATORS = _set(
    "aren't avoid can't cannot didn't doesn't don't dont isn't neither never no nor not shouldn't",
    "wasn't without won't wouldn't mustn't needn't ain't",
    "kein keine keinen keinem nicht nie niemals ohne statt anstatt",
    "aucun aucune jamais ne pas sans ni plutôt ningún ninguna no nunca sin jamás",
    "nem não nunca sem nessun nessuna non né senza mai geen niet nooit zonder",
    "bez nie nigdy zamiast без не нет ни никогда вместо",
    "aldrig ikke inte ej utan uten ingen ingenting değil hayır đừng không chớ jangan tanpa tidak",
    "ne nikdy nepoužívej μην δεν χωρίς όχι لا بدون ليس मत नहीं बिना",
)
# With a negation they say that it is not wanted.
NEEDS = _set(
    "need needed needs necessary require required brauchen brauche braucht nötig notwendig besoin",
    "nécessaire falta necesario necesito necessário precisa preciso necessario serve bisogno nodig",
    "potrzebny potrzeba konieczny нужен нужна нужно надо gerekli behövs potřeba cần perlu",
)
# Verbs of use that may stand after it.
LATE_USES = _set(
    "benutzen benutze verwenden verwende nutzen nutze gebruiken använda bruke इस्तेमाल उपयोग प्रयोग"
)
# After it, they say that it is not wanted.
NEGATED_AFTER = _set(
    "nicht niet inte ikke nie не kullanma kullanmadan olmadan kullanmayın değil olmasın not मत नहीं"
)
# Verbs that end it.
ENDS = _set(
    "abort avoid cancel deactivate disable drop end exit forbid forget halt ignore kill leave omit",
    "pause quit remove skip stop stopping uninstall unset",
    "beende deaktiviere lass stoppe überspringe arrête désactive quitte évite desactiva detén evita",
    "cancela desative pare evite disattiva ferma evita stop deactiveer wyłącz pomiń zatrzymaj",
    "выключи отключи останови пропусти стоп stäng slå kapat durdur tắt matikan vypni σταμάτα أوقف",
)
OFFS = _set("off aus uit av af weg out wyłączone")

# Openings of a question.
ASKS = _set(
    "what what's whats which who who's whose whom where where's when when's why why's how",
    "how's hows wie wieso weshalb warum was wer wen wem wann wozu woher wofür waarvoor waartoe welche welcher welches",
    "comment pourquoi quand qui quoi quel quelle quels quelles combien est-ce qu'est-ce que où",
    "qué cómo cuándo cuál cuáles dónde quién cuánto porqué como quem quando qual quais onde quanto",
    "cosa cos'è che chi come dove perché quale quanto com'è wat hoe waarom wanneer welke waar wie",
    "co jak czy czym czego dlaczego kiedy kto gdzie ile który что чем чего как какой какая почему когда зачем",
    "кто где сколько vad hur varför när vem vilken hva hvad hvordan hvorfor hvornår når apa apakah",
    "bagaimana mengapa kapan nasıl neden nedir kim hangi proč čemu kdy kdo τι πώς γιατί πότε ما ماذا كيف",
    "لماذا هل متى tại क्या कैसे क्यों कब",
)
# Verbs that open a question, with or without its mark.
ASKING_VERBS = _set(
    "is isn't are aren't was wasn't were does doesn't did didn't has hasn't had should shouldn't",
    "shall may might must am",
    "ist sind gibt soll sollte sollten hat darf muss war est faut-il dois-je peut-on puis-je existe",
    "y-a-t-il doit-on debo debería deberíamos puedo hay existe devo deveria posso há è c'è esiste",
    "devo dovrei moet mag zal bestaat är finns ska bör skal bør er je lze mám",
)
# The same, if a pronoun or the keyword follows.
ASKING_WITH_SUBJECT = _set("do have can could will would kann könnte kan ska peut puede pode può")
SUBJECTS_ASKED = _set("i you we they he she it u one anyone somebody people ich man wir je ik jag")
BEFORE_ASKS = _set("para a à de do k ke na z za о об für zu for por per su voor di da con bei")
# A subordinate clause about somebody's doings.
SUBORDINATES = _set(
    "when whenever if before after while until once since because every each wenn falls bevor nachdem",
    "quand si avant après lorsque cuando antes después se quando prima dopo als voordat nadat gdy",
    "jeśli zanim когда если перед после när om innan",
)
# Openings that ask somebody to do something.
REQUESTS = _set(
    "kannst könntest könnten würdest könnt magst willst kannste peux-tu peux pouvez pouvez-vous",
    "pourrais-tu pourrais pourriez pourriez-vous puedes podrías podés puede podría podéis pode podes",
    "poderia podia consegue puoi potresti può potete kun kunt wil zou możesz mógłbyś mogłabyś możecie",
    "można можешь можете мог могла kan kunne mohl můžeš yapabilir bisakah có",
)
ASKED_YOU = _set("can could will would")
YOU = _set("you u ya we y'all")
# The pronouns that follow such a word elsewhere.
PRONOUNS = _set(
    "du ihr sie tu vous te usted ustedes tú você vocês voi lei je jij u ty wy ты вы бы no"
)
# Words of a question that ask about the keyword itself, whatever else it holds.
ABOUT_WORDS = _set(
    "a about actually again and any are at be can das der did die do does doing dieses es est for good",
    "get gibt good have how i in is it its like made make mean means now of on or qué really same say",
    "so still that the them there these thing this to use used useful using wants was what what's",
    "whats when where which who why with work works would you für ist macht heißt bedeutet tut was",
    "wie ce c'est quoi que fait ça significa es eso isso é o que cos'è è cosa dat wat doet co to jest",
    "robi что это такое делает значит",
)
TAGS = _set(
    "ok okay please pls right yes yeah deal thanks ja oder bitte d'accord oui vale sí si bene va",
    "certo tá né oké goed tak dobrze dobra хорошо да ладно y n",
)
# Verbs that ask for words, not for work.
ANSWERS = _set(
    "clarify compare define describe elaborate explain outline remind say show summarise summarize teach tell",
    "beschreib beschreibe beschreiben erklär erkläre erklären erläutere nenne sag sage zeig zeige",
    "erzähl erzähle vergleiche",
    "compare décris définis dis dis-moi explique expliquer expliquez explique-moi montre montre-moi",
    "présente raconte résume",
    "compara cuéntame define describe di dime explica explicar explícame muéstrame",
    "compare conte defina descreva diga explica explicar explique fale mostre resuma",
    "descrivi dimmi mostrami parlami riassumi spiega spiegami spiegare confronta",
    "beschrijf leg uitleggen vertel noem vergelijk",
    "opisz opowiedz porównaj powiedz wyjaśnij wytłumacz wymień",
    "объясни объяснить объясните опиши расскажи скажи сравни покажи перечисли поясни",
    "beskriv förklara förklar forklar berätta fortell açıkla anlat giải jelaskan popiš vysvětli",
    "εξήγησε اشرح",
)
BEFORE_ANSWERS = _set("me nos let us just quickly briefly also to let's lets kurz")
KNOWS = _set(
    "curious know learn understand wonder wondering verstehen wissen gehört comprendre",
    "savoir entender saber capire sapere weten begrijpen wiedzieć zrozumieć понять знать узнать",
)
# Openings of a statement ...
SPEAKERS = _set(
    "i i'm i've i'll i'd we we've we're you you're you've he he's she she's it it's they they're my our",
    "his her their someone somebody everybody everyone people nobody there there's here's",
    "ich wir er sie es man mein meine unser unsere je j'ai j'aime nous on il elle ils mon ma mes nos",
    "notre yo nosotros él ella mi mis nuestro eu nós ele ela meu minha nosso io noi lui lei ho mio",
    "abbiamo ik wij hij zij mijn onze ja moja mój nasz я мы он она мой моя наш у jag vi han hon",
    "jeg ben biz tôi chúng saya kami já my můj",
)
# ... that is a wish all the same.
WISHES = _set(
    "want need needs require wish like gonna going should must expect ask asking let please prefer",
    "möchte möchten will wollen brauche brauchen sollst musst bitte soll veux voudrais voulons besoin",
    "faut aimerais quiero quisiera queremos necesito necesitamos quero queria queremos preciso voglio",
    "vorrei vogliamo wil wilt willen moet nodig chcę chcemy potrzebuję хочу хотим нужно надо прошу vill",
    "vil istiyorum muốn mau ingin chci",
)
# Who is asked to do it, before `to ulw`.
ASKED_TO = _set(
    "you want need like going gonna have try able time ready wish claude him us let's u"
)
# `do it in ulw`.
ANYTHING = _set(
    "it this that these those all everything alles das dies ça cela ceci tout esto eso todo isso isto",
    "tudo questo tutto dit dat to wszystko это всё все det allt",
)
SHIFTS = _set(
    "go switch passer passe passez bascule basculer wechsle wechsel wechseln geh gehe cambia cambiar",
    "pasa pasar mude mudar passa passare vai ve ga schakel overschakelen przejdź przełącz перейди",
    "fare fai faire fais faites hacer haz fazer faça doe doen mach mache machen erledige zrób сделай gör",
    "do переключись gå byt arbeite travaille trabaja trabalhe lavora werk pracuj работай work",
)
SWITCHES = _set("switch change move go get back switching jump turn over")
# After it, they show that it is meant as an order.
ORDERS = _set(
    "add clean complete convert correct create debug eliminate finish fix implement improve",
    "investigate make mend migrate modernize optimise optimize polish refactor remove repair replace",
    "resolve restore rewrite simplify solve upgrade write",
)
# Between the keyword and a verb they change nothing.
ADVERBS = _set(
    "already also always just never often really sometimes still usually not no ne non não"
)
PROGRAMS = _set(
    "apt brew bun bunx cargo cd cp docker git grep kubectl ls mkdir mv npm npx pip pipx pnpm rg rm sed",
    "sudo uv uvx wget curl yarn",
)
# Verbs that give a thing its name, and what is named.
NAMING = _set("call name nenne nenn appelle llama chama chiama noem nazwij назови")
NAMES = _set(
    "name names variable branch label title package prefix key tag identifier word namen nom nombre nome",
    "naam nazwa имя",
)
LIKE = _set("as als comme como come jako как")
# `re: ulw` is a heading, `mode: ulw` is an order.
HEADINGS = _set("re subject topic betreff title name keyword word label tag")
GLOSSES = _set("short aka abbreviation kurz abréviation abreviatura")
ALL_OR_NOTHING = _set("everything anything nothing all any")
REFUSALS = _set("no nope nah never not nein nee non nie нет não nej hayır")
# Verbs for what is done with a text, and what it may be called.
ABOUT_TEXTS = _set(
    "check correct edit improve paraphrase polish proofread reformulate rephrase review reword rewrite",
    "shorten simplify summarise summarize translate übersetze korrigiere traduis corrige traduce",
)
TEXTS = _set(
    "abstract announcement email following mail message note paragraph passage post sentence sentences",
    "text tweet wording absatz satz paragraphe texte phrase párrafo texto frase",
)
