"""Made from words/order.toml by `make generate`: change the words there."""
# fmt: off

_SETS = {
    "FILLERS": "a aber adesso agora ah ahead ahora allora alors alright alsjeblieft also alstublieft and anyway ay ayo beleza bene bien bitte bom bon bonjour btw bueno but ciao claude codex come cool cześć d'accord dai dan danke dann dear dobra dobrze doch donc dus e eens ei einfach en enfin entonces então erst et even favor favore finally first full fully gemini good graag great gut guys hadi hallo hello hey hi hm hmm hola hãy jetzt just kindly lastly lütfen ma maar maintenant mais mal mas merci next nhé nice now nu nun nur nå obrigado och og oh oi ok okay oké olá once ora per pero plaît please pls plz poi por proszę prosím pues puis quickly quindi really right s'il schnell sekarang simply snälla so stp sure svp tack tak takk tamam te team teraz teď thanks then today tolong too um und vale venga venligst vous vänligen well więc wow y ya yeah yep yes yo şimdi παρακαλώ τώρα а давай и ладно но ну пожалуйста потом привет так теперь тогда الآن فضلك من",
    "CLOSERS": "again all asap bitte everything favor graag here hier it jetzt kérem lütfen mal mode modo modus now nu ok okay on once please pls plz proszę svp thanks that then this time today too пожалуйста",
    "COURTESIES": "bitte please pls",
    "USES": "activa activar activate active activeer activez aktiviere använd aplica ativa ative attiva avec avvia begin benutze benutzen benutzend brug bruge bruk bruke bằng com con dengan do démarre dùng dụng enable engage fire gebruik gebruikend go gunakan hit inicia inicie invoke kullan kullanarak kör lance lancez lancia lanza lass launch let's lets med mediante met middels mit mithilfe mittels nimm nutze nutzen pakai passe per pomocí pon použij przez run running s se spusť start starta starte sử tramite trigger try under unleash uruchom usa usad usando usar usare usate use using utilisant utilise utiliser utilisez utiliza utilizando utilizar utilize utilizza utilizzando użyj używając użyć verwende verwenden via vía với with włącz z za ze zet με χρησιμοποίησε χρησιμοποιώντας включи запусти использовать используй используйте используя помощью примени применив с со через استخدم باستخدام مع इस्तेमाल उपयोग प्रयोग",
    "USES_AFTER": "ile kullan kullanarak kullanıp modunda moduyla इस्तेमाल से",
    "PLACES": "dans di em en i im in ins inside into na nel nella no på trong v w we within στο в во في",
    "MODES": "chế läge läget mod modalita modalità mode modo modunda modunu modus moduyla režim režimu tryb trybie trybu độ λειτουργία режим режиме режимом وضع",
    "DETERMINERS": "a actual an another any as bu ce ces cette current das de dein deine dem den der des det die diese dieser dieses dit each een ein eine einem einen einer el entire esa ese esta este ett every existing gli her het his il its jouw l' la las last latest le les lo los ma mein meine mes meu mi mijn minha mio moja mon my mój nasz new notre nuestro o old onze os our previous questa questo seu some su sua suo ta te ten that the their these this those ton tu tuo um uma un una une uno unser unsere votre whole your şu мой наш эта это этот",
    "MENTIONS": "about above across after against alongside als although am appelé are around as at aus außer be because been before begriff behalve behind bei being beside besides between beyond bij branch by called chamada chamado chez chiamata chiamato cho comparing concerning contain containing contains contra contre covering cuando czy của d' da dari dass de del della dello des describing despite di discussing dla do dos du eller es except excepto exceto excluding explaining following for from från för für gdy gegen genaamd genannt hacia hakkında hashtag heißt heter how if including introducing is ist için jest jeśli kallad keyword like llamada llamado lub means meant mention mentioning mentions mot naar nach name named namens nazwany nazwie nommé nommée o ob od oder of off om omdat on onto opdracht oprócz or ord ou over palabra palavra para parce parola per perché phrase ponieważ porque pour pra print prints qu' quand quando que quoi regarding said sauf say saying says schlüsselwort se si since sobre spelled string su supporting sur symbol słowo tegen tentang term than that though till to toward type typed types typing unless unlike until untuk upon van variable vers verso versus veya vom von voor vor vs về was weil wenn were what when whenever where whether which while who why woord word wort written während zu zum zur è é über από για для если или к когда кроме о об от по потому про слово что عن",
    "KINDS": "befehl class column comando command commande field file flag folder function handle key komenda label library method module option package plugin program project repo script setting token tool команда",
    "ANDS": "and e en et i und y и",
    "JOINTS": "and but dan dann e en et i luego please poi puis so then und y и потом",
    "LIST_WORDS": "and e en et i o oder of or ou und y и или と 和",
    "TROUBLES": "comes compare compared compatibility compatible conflict conflicts deal dealing doświadczenie erfahrung erfahrungen ervaring esperienza experience experiences experiencia experiment experiência expérience familiar happen happened happening happens happy help integrate integrated integrates integration interfere interferes play question questions started trouble unhappy vergleich vergleiche work worked working works wrong опыт",
    "FINITES": "adalah am appears are ate became becomes bedeutet belongs betekent betyder bleibt blocked blocks braucht breaks broke był called came can can't cannot caught causes changed comes cost could couldn't counts coûte crashed crashes darf debe decided decides deleted demek depends detects deve did didn't didnt does doesn't doesnt doet doit działa dělá ended ends er era es est está exists fa failed fails fait faz feels felt findet finished finishes fires foi fonctionne found fue funciona fungerar fungerer funguje funktioniert funziona gave geht gets gives gjør goes got gì gör ha hace had hadn't handles hangs happened happens has hasn't hat have heeft heißt helped helps hoạt hängt ignored ignores is isn't isnt ist itu işe je kan kann keeps kept knows kostet kosztuje könnte left lets lijkt lives looks là läuft ma macht made makes marche matters may means meant might missed moet może musi muss must n'est nedir needs occurs oder offers or ou oznacza parece peut picked pode produces puede può ran refused refuses replaces requires robi rocks ruined runs sagt said saved says scheint seemed seems semble sembra sends sent sert serve should shouldn't showed shows significa signifie sirve sits soll sollte sounds spawned stands started starts steht stopped stops stuck stuff sucks supports służy takes tells tem thing things thinks thought tiene told took treats tries triggered triggers turned turns tut used uses var versus virker vs wants war was wasn't went were werkt which who whose will wird won't wordt worked works would wouldn't writes wrote würde znamená är çalışmıyor çalışıyor è é était είναι κάνει был была делает должен есть значит может означает работает стоит умеет это هو هي يعمل क्या है",
    "ADDRESSED": "please pls u we y'all ya you",
    "THINGS": "author codebase command commands config configuration detector docs documentation feature hook hooks keyword keywords logs maintainers marketplace package plugin plugins readme receipt receipts repo repository session sessions settings source statusline team tool tools trigger users verdict verdicts website word words",
    "SURE_THINGS": "docs documentation keyword marketplace plugin readme",
    "WITHOUTS": "aucun aucune bez geen kein keine keinem keinen nessun ningún ohne sans sem senza sin tanpa utan uten without zonder χωρίς без بدون बिना",
    "NEGATORS": "ain't aldrig anstatt aren't aucun aucune avoid bez can't cannot chớ değil didn't doesn't don't dont ej geen hayır ikke ingen ingenting inte isn't jamais jamás jangan kein keine keinem keinen không mai mustn't ne needn't neither nem nepoužívej nessun nessuna never ni nicht nie niemals niet nigdy nikdy ninguna ningún no non nooit nor not nunca não né ohne pas plutôt sans sem senza shouldn't sin statt tanpa tidak utan uten wasn't without won't wouldn't zamiast zonder đừng δεν μην χωρίς όχι без вместо не нет ни никогда بدون لا ليس नहीं बिना मत",
    "NEEDS": "behövs besoin bisogno brauche brauchen braucht cần falta gerekli konieczny necesario necesito necessario necessary necessário need needed needs nodig notwendig nécessaire nötig perlu potrzeba potrzebny potřeba precisa preciso require required serve надо нужен нужна нужно",
    "LATE_USES": "använda benutze benutzen bruke gebruiken nutze nutzen verwende verwenden इस्तेमाल उपयोग प्रयोग",
    "NEGATED_AFTER": "değil ikke inte kullanma kullanmadan kullanmayın nicht nie niet not olmadan olmasın не नहीं मत",
    "ENDS": "abort arrête avoid beende cancel cancela deactivate deactiveer deaktiviere desactiva desative detén disable disattiva drop durdur désactive end evita evite exit ferma forbid forget halt ignore kapat kill lass leave matikan omit pare pause pomiń quit quitte remove skip slå stop stoppe stopping stäng tắt uninstall unset vypni wyłącz zatrzymaj évite überspringe σταμάτα выключи останови отключи пропусти стоп أوقف",
    "OFFS": "af aus av off out uit weg wyłączone",
    "ASKS": "apa apakah bagaimana che chi co com'è combien come comment como cos'è cosa cuál cuáles cuándo cuánto czego czy czym cómo dlaczego dove dónde est-ce gdzie hangi hoe how how's hows hur hva hvad hvordan hvorfor hvornår ile jak kapan kdo kdy kiedy kim kto który mengapa nasıl neden nedir när når onde où perché porqué pourquoi proč qu'est-ce quais qual quale quand quando quanto que quel quelle quelles quels quem qui quién quoi qué tại vad varför vem vilken waar waarom waartoe waarvoor wann wanneer warum was wat welche welcher welches welke wem wen wer weshalb what what's whats when when's where where's which who who's whom whose why why's wie wieso wofür woher wozu čemu γιατί πότε πώς τι где зачем как какая какой когда кто почему сколько чего чем что كيف لماذا ما ماذا متى هل कब कैसे क्या क्यों",
    "ASKING_VERBS": "am are aren't bestaat bör bør c'è darf debería deberíamos debo deveria devo did didn't does doesn't dois-je doit-on dovrei er esiste est existe faut-il finns gibt had has hasn't hat hay há is isn't ist je lze mag may might moet muss must mám peut-on posso puedo puis-je shall should shouldn't sind ska skal soll sollte sollten war was wasn't were y-a-t-il zal är è",
    "ASKING_WITH_SUBJECT": "can could do have kan kann könnte peut pode puede può ska will would",
    "SUBJECTS_ASKED": "anyone he i ich ik it jag je man one people she somebody they u we wir you",
    "BEFORE_ASKS": "a bei con da de di do for für k ke na para per por su voor z za zu à о об",
    "SUBORDINATES": "after als antes après avant because before bevor cuando después dopo each every falls gdy if innan jeśli lorsque nachdem nadat när om once prima quand quando se si since until voordat wenn when whenever while zanim если когда перед после",
    "REQUESTS": "bisakah consegue có kan kannst kannste kun kunne kunt könnt könnten könntest magst mogłabyś mohl możecie możesz można mógłbyś můžeš peux peux-tu pode poderia podes podia podría podrías podéis podés potete potresti pourrais pourrais-tu pourriez pourriez-vous pouvez pouvez-vous puede puedes puoi può wil willst würdest yapabilir zou мог могла можете можешь",
    "ASKED_YOU": "can could will would",
    "YOU": "u we y'all ya you",
    "PRONOUNS": "du ihr je jij lei no sie te tu ty tú u usted ustedes você vocês voi vous wy бы вы ты",
    "ABOUT_WORDS": "a about actually again and any are at be bedeutet c'est can ce co cos'è cosa das dat der did die dieses do does doet doing es eso est fait for für get gibt good have heißt how i in is isso ist it its jest like macht made make mean means now o of on or que quoi qué really robi same say significa so still that the them there these thing this to tut use used useful using wants was wat what what's whats when where which who why wie with work works would you ça è é делает значит такое что это",
    "TAGS": "bene bitte certo d'accord deal dobra dobrze goed ja n né oder ok okay oké oui please pls right si sí tak thanks tá va vale y yeah yes да ладно хорошо",
    "ANSWERS": "anlat açıkla berätta beschreib beschreibe beschreiben beschrijf beskriv clarify compara compare confronta conte cuéntame defina define descreva describe descrivi di diga dime dimmi dis dis-moi décris définis elaborate erklär erkläre erklären erläutere erzähl erzähle explain explica explicar explique explique-moi expliquer expliquez explícame fale forklar fortell förklar förklara giải jelaskan leg montre montre-moi mostrami mostre muéstrame nenne noem opisz opowiedz outline parlami popiš porównaj powiedz présente raconte remind resuma riassumi résume sag sage say show spiega spiegami spiegare summarise summarize teach tell uitleggen vergelijk vergleiche vertel vysvětli wyjaśnij wymień wytłumacz zeig zeige εξήγησε объясни объясните объяснить опиши перечисли покажи поясни расскажи скажи сравни اشرح",
    "BEFORE_ANSWERS": "also briefly just kurz let let's lets me nos quickly to us",
    "KNOWS": "begrijpen capire comprendre curious entender gehört know learn saber sapere savoir understand verstehen weten wiedzieć wissen wonder wondering zrozumieć знать понять узнать",
    "SPEAKERS": "abbiamo ben biz chúng ela ele ella elle er es eu everybody everyone han he he's her here's hij his ho hon i i'd i'll i'm i've ich ik il ils io it it's j'ai j'aime ja jag je jeg já kami lei lui ma man mein meine mes meu mi mijn minha mio mis moja mon my mój můj nasz nobody noi nos nosotros nosso notre nous nuestro nós on onze our people saya she she's sie somebody someone their there there's they they're tôi unser unsere vi we we're we've wij wir yo you you're you've zij él мой моя мы наш он она у я",
    "WISHES": "aimerais ask asking besoin bitte brauche brauchen chcemy chci chcę expect faut going gonna ingin istiyorum let like mau moet musst must muốn möchte möchten necesitamos necesito need needs nodig please potrzebuję preciso prefer queremos queria quero quiero quisiera require should soll sollst veux vil vill vogliamo voglio vorrei voudrais voulons want wil will willen wilt wish wollen надо нужно прошу хотим хочу",
    "ASKED_TO": "able claude going gonna have him let's like need ready time try u us want wish you",
    "ANYTHING": "all alles allt ceci cela das dat det dies dit eso esto everything isso isto it questo that these this those to todo tout tudo tutto wszystko ça все всё это",
    "SHIFTS": "arbeite bascule basculer byt cambia cambiar do doe doen erledige fai faire fais faites fare fazer faça ga geh gehe go gå gör hacer haz lavora mach mache machen mudar mude overschakelen pasa pasar passa passare passe passer passez pracuj przejdź przełącz schakel switch trabaja trabalhe travaille vai ve wechsel wechseln wechsle werk work zrób перейди переключись работай сделай",
    "SWITCHES": "back change get go jump move over switch switching turn",
    "ORDERS": "add clean complete convert correct create debug eliminate finish fix implement improve investigate make mend migrate modernize optimise optimize polish refactor remove repair replace resolve restore rewrite simplify solve upgrade write",
    "ADVERBS": "already also always just ne never no non not não often really sometimes still usually",
    "PROGRAMS": "apt brew bun bunx cargo cd cp curl docker git grep kubectl ls mkdir mv npm npx pip pipx pnpm rg rm sed sudo uv uvx wget yarn",
    "NAMING": "appelle call chama chiama llama name nazwij nenn nenne noem назови",
    "NAMES": "branch identifier key label naam name namen names nazwa nom nombre nome package prefix tag title variable word имя",
    "LIKE": "als as come comme como jako как",
    "HEADINGS": "betreff keyword label name re subject tag title topic word",
    "GLOSSES": "abbreviation abreviatura abréviation aka kurz short",
    "ALL_OR_NOTHING": "all any anything everything nothing",
    "REFUSALS": "hayır nah nee nein nej never nie no non nope not não нет",
    "ABOUT_TEXTS": "check correct corrige edit improve korrigiere paraphrase polish proofread reformulate rephrase review reword rewrite shorten simplify summarise summarize traduce traduis translate übersetze",
    "TEXTS": "absatz abstract announcement email following frase mail message note paragraph paragraphe passage phrase post párrafo satz sentence sentences text texte texto tweet wording",
}

TYPE_CHECKING = False
if TYPE_CHECKING:
    FILLERS: frozenset[str]
    CLOSERS: frozenset[str]
    COURTESIES: frozenset[str]
    USES: frozenset[str]
    USES_AFTER: frozenset[str]
    PLACES: frozenset[str]
    MODES: frozenset[str]
    DETERMINERS: frozenset[str]
    MENTIONS: frozenset[str]
    KINDS: frozenset[str]
    ANDS: frozenset[str]
    JOINTS: frozenset[str]
    LIST_WORDS: frozenset[str]
    TROUBLES: frozenset[str]
    FINITES: frozenset[str]
    ADDRESSED: frozenset[str]
    THINGS: frozenset[str]
    SURE_THINGS: frozenset[str]
    WITHOUTS: frozenset[str]
    NEGATORS: frozenset[str]
    NEEDS: frozenset[str]
    LATE_USES: frozenset[str]
    NEGATED_AFTER: frozenset[str]
    ENDS: frozenset[str]
    OFFS: frozenset[str]
    ASKS: frozenset[str]
    ASKING_VERBS: frozenset[str]
    ASKING_WITH_SUBJECT: frozenset[str]
    SUBJECTS_ASKED: frozenset[str]
    BEFORE_ASKS: frozenset[str]
    SUBORDINATES: frozenset[str]
    REQUESTS: frozenset[str]
    ASKED_YOU: frozenset[str]
    YOU: frozenset[str]
    PRONOUNS: frozenset[str]
    ABOUT_WORDS: frozenset[str]
    TAGS: frozenset[str]
    ANSWERS: frozenset[str]
    BEFORE_ANSWERS: frozenset[str]
    KNOWS: frozenset[str]
    SPEAKERS: frozenset[str]
    WISHES: frozenset[str]
    ASKED_TO: frozenset[str]
    ANYTHING: frozenset[str]
    SHIFTS: frozenset[str]
    SWITCHES: frozenset[str]
    ORDERS: frozenset[str]
    ADVERBS: frozenset[str]
    PROGRAMS: frozenset[str]
    NAMING: frozenset[str]
    NAMES: frozenset[str]
    LIKE: frozenset[str]
    HEADINGS: frozenset[str]
    GLOSSES: frozenset[str]
    ALL_OR_NOTHING: frozenset[str]
    REFUSALS: frozenset[str]
    ABOUT_TEXTS: frozenset[str]
    TEXTS: frozenset[str]
else:

    def __getattr__(name: str) -> frozenset[str]:
        if name not in _SETS:
            raise AttributeError(name)
        made = globals()[name] = frozenset(_SETS[name].split())
        return made
