"""The same judgement for Japanese, Chinese and Korean, which mark it by what touches the keyword."""
# ruff: noqa: RUF001 - full-width punctuation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

REACH = 200
NEAR = 12
FIRST = "\u3040"
LATIN_SHARE = 3

_ENDS = "\n。！？!?"
_BLANKS = " \u3000,，、:：;；-—–("


def _either(text: str) -> tuple[str, ...]:
    return tuple(text.split("|"))


JA_ABOUT = _either("とは|って|という|について|に関|は|が|の|も|と|vs|から|より")
JA_AGAINST = _either(
    "使わな|使わず|使う必要|使うな|なし|無し|抜き|不要|いらない|要らない|オフ|無効|やめ|止め|"
    "停止|しない|解除|禁止|切っ"
)
JA_USED = _either("使|用い|つか|起動|有効|オン|開始|実行|かけ|適用|発動|利用|活用")
JA_ANSWERS = _either(
    "教えて|説明|解説|紹介|何|なに|どう|いつ使|なぜ必要|使い方|使うべき|使った方|使ったほう"
)
JA_PLEASE = _either("くれ|もらえ|いただけ|頂け|ください|下さい|お願い|頼")

ZH_USED = _either(
    "使用|启用|啟用|开启|開啟|打开|打開|进入|進入|通过|通過|借助|运行|運行|启动|啟動|切换到|"
    "切換到|切到|采用|利用|用|以|开|請|请"
)
ZH_AGAINST = _either(
    "不|别|別|勿|不要|无需|無需|不需要|没|没有|沒有|未|不想|不必|不能|禁止|停止|避免|别再|不再"
)
ZH_MENTIONED = _either(
    "关于|關於|什么是|什麼是|啥是|解释|解釋|解释一下|介绍|介绍一下|介紹|说明|說明|的|和|与|與|"
    "跟|对|對|把|将|將|给|給|在|是|叫|叫做|名为|删除|刪除|安装|安裝|卸载|单词|单字|关键字|"
    "关键词|添加|加入|重命名|修改|替换|了解|学习|讨论|比较|关闭|關閉|关掉|停用|退出|禁用|取消|"
    "了|过|跳过|无|这个|那个|描述|总结"
)
ZH_ABOUT = _either(
    "是|的|有什么|有什麼|有啥|有没有|会|會|怎么用|怎麼用|怎么样|怎样|怎么工作|如何使用|如何用|"
    "如何工作|什么|什麼|啥|吗|嗎|么|呢|和|与|與|跟|不|没|沒|已|好用|太|很|坏了|挂了|能不能用|"
    "能做|能干|支持|适合|改成|替换|到底|究竟"
)
ZH_CAN_YOU = _either("能不能|可不可以|可不可")
ZH_SHOULD = _either(
    "应该|應該|该不该|是否|要不要|需不需要|需要|为什么|為什麼|怎么|怎麼|如何|什么时候|什麼時候"
)

KO_ABOUT = _either(
    "가 |이 |는 |은 |란|이란|라는|이라는|의 |도 |와 |과 |랑 |에 대|에서|에 |이 뭐|가 뭐|보다|부터"
)
KO_AGAINST = _either(
    "쓰지|사용하지|하지|켜지|돌리지|없이|말고|안 |꺼|끄|빼고|필요 없|필요없|금지|그만|중지|"
    "해제|취소"
)
KO_ANSWERS = _either("뭐|무엇|무슨|어떻게|설명|알려|언제|어떤|사용법|쓰는 법|쓰는법|소개|차이")
KO_USED = _either("써|쓰|사용|이용|켜|켠|활성|실행|돌려|적용|시작|활용")
KO_PLEASE = _either("줘|줄래|줄 수|줄수|주실|주세요|주겠|주십|부탁|해라|하자")

TIES_AFTER = _either("で|を|モード|模式|로|으로|를|을|모드")


def is_cjk(text: str, start: int, end: int) -> bool:
    """Whether the sentence is written in one of these scripts, names in Latin letters aside."""
    sentence = "".join(_sides(text, start, end))
    ours = sum(character >= FIRST for character in sentence)
    latin = sum(character.isascii() and character.isalpha() for character in sentence)
    return bool(_script(sentence)) and latin <= LATIN_SHARE * ours


def is_order(text: str, start: int, end: int) -> bool:
    left, right = _sides(text, start, end)
    return _JUDGES[_script(left + right)](left, right)


def is_governed(text: str, start: int, end: int) -> bool:
    """Whether a particle or a verb of use ties the keyword to its sentence."""
    left, right = _sides(text, start, end)
    return right.lstrip().startswith(TIES_AFTER) or left.rstrip().endswith(ZH_USED)


def _sides(text: str, start: int, end: int) -> tuple[str, str]:
    """What the sentence has on both sides; its question mark belongs to the right one."""
    left = start
    while left > max(0, start - REACH) and text[left - 1] not in _ENDS:
        left -= 1
    right = end
    while right < min(len(text), end + REACH) and text[right] not in _ENDS:
        right += 1
    return text[left:start], text[end : right + (text[right : right + 1] in ("？", "?"))]


def _script(text: str) -> str:
    found = ""
    for character in text:
        if "\u3040" <= character <= "\u30ff":
            return "ja"
        if "\uac00" <= character <= "\ud7a3":
            return "ko"
        if "\u4e00" <= character <= "\u9fff":
            found = "zh"
    return found


def _is_question(right: str) -> bool:
    return right.endswith(("？", "?"))


def _without_mode(right: str, *modes: str) -> str:
    for mode in modes:
        if right.startswith(mode):
            return right[len(mode) :]
    return right


def _japanese(_left: str, right: str) -> bool:
    touching = _without_mode(right.lstrip(), "モード")
    bare = touching.lstrip(_BLANKS + "をはもでに")
    if bare.startswith(JA_AGAINST + JA_ANSWERS):
        return False
    if touching.startswith("を"):
        verb = touching[1:].lstrip()
        against = any(word in verb[:NEAR] for word in JA_AGAINST)
        if against or not verb.startswith(JA_USED) or right.rstrip().endswith("た"):
            return False
    elif not right.startswith(" ") and touching.startswith(JA_ABOUT):
        return False
    asked = _is_question(right) or right.rstrip().endswith("か")
    return not asked or any(word in right for word in JA_PLEASE)


def _chinese(left: str, right: str) -> bool:
    before = left.rstrip(" *")
    used = next((word for word in ZH_USED if before.endswith(word)), "")
    rest = before.removesuffix(used) if used else before
    if rest.endswith(ZH_AGAINST) and not rest.endswith(ZH_CAN_YOU):
        return False
    in_mode = before.endswith("在") and right.lstrip().startswith("模式")
    if not used and not in_mode and before.endswith(ZH_MENTIONED):
        return False
    touching = _without_mode(right.lstrip(), "模式")
    if touching.lstrip().startswith(ZH_ABOUT):
        return False
    if not _is_question(right) and not touching.endswith(("吗", "嗎", "呢")):
        return True
    if any(word in before for word in ZH_SHOULD):
        return False
    return len(touching.strip(" 吗嗎呢么？?")) > 1


def _korean(_left: str, right: str) -> bool:
    touching = _without_mode(right.lstrip(), "모드")
    if not right.startswith(" ") and touching.startswith(KO_ABOUT):
        return False
    bare = touching
    for particle in ("를", "을", "는", "은", "로", "으로", "도"):
        if touching.startswith(particle):
            bare = touching[len(particle) :]
            break
    object_of = touching.startswith(("를", "을"))
    bare = bare.lstrip(_BLANKS)
    if bare.startswith(KO_AGAINST + KO_ANSWERS):
        return False
    if object_of and not bare.startswith(KO_USED):
        return False
    return not _is_question(right) or any(word in right for word in KO_PLEASE)


_JUDGES: "dict[str, Callable[[str, str], bool]]" = {
    "ja": _japanese,
    "zh": _chinese,
    "ko": _korean,
}
