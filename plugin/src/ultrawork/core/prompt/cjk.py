"""The same judgement for Japanese, Chinese and Korean, which mark it by what touches the keyword."""
# ruff: noqa: RUF001 - full-width punctuation

from . import cjk_words as words
from .sentence import SPACELESS, widen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

REACH = 200
NEAR = 12
LATIN_SHARE = 3
LONGEST_ABOUT = 8  # letters of a question about the word, such as `ulw 어떻게 써?`

_ENDS = "\n。！？!?"
_BLANKS = " \u3000,，、:：;；-—–("


def is_cjk(text: str, start: int, end: int) -> bool:
    """Return whether the sentence is written in one of these scripts, names in Latin letters aside."""
    sentence = "".join(_sides(text, start, end))
    ours = sum(character >= SPACELESS for character in sentence)
    latin = sum(character.isascii() and character.isalpha() for character in sentence)
    return bool(_script(sentence)) and latin <= LATIN_SHARE * ours


def is_order(text: str, start: int, end: int) -> bool:
    left, right = _sides(text, start, end)
    if not left.strip() and right.strip(_BLANKS + _ENDS) in words.THANKS:
        return False
    return _JUDGES[_script(left + right)](left, right)


def is_governed(text: str, start: int, end: int) -> bool:
    """Return whether a particle or a verb of use ties the keyword to its sentence."""
    left, right = _sides(text, start, end)
    tied = right.startswith(words.TIES_TOUCHING) or right.lstrip().startswith(words.TIES_AFTER)
    return tied or left.rstrip().endswith(words.ZH_USED)


def _sides(text: str, start: int, end: int) -> tuple[str, str]:
    """Return both sides of the sentence; its question mark belongs to the right one."""
    left, right = widen(text, start, end, _ends_sentence, REACH)
    return text[left:start], text[end : right + (text[right : right + 1] in ("？", "?"))]


def _ends_sentence(text: str, place: int) -> bool:
    return text[place] in _ENDS


def _script(text: str) -> str:
    script = ""
    for character in text:
        if "\u3040" <= character <= "\u30ff":
            return "ja"
        if "\uac00" <= character <= "\ud7a3":
            return "ko"
        if "\u4e00" <= character <= "\u9fff":
            script = "zh"
    return script


def _is_question(right: str) -> bool:
    return right.endswith(("？", "?"))


def _asks_of_the_project(left: str, right: str) -> bool:
    """Return whether a separate question follows the word, longer than one about the word itself."""
    apart = not left.strip() and right[:1] in _BLANKS
    return apart and len("".join(right.split())) > LONGEST_ABOUT


def _japanese(left: str, right: str) -> bool:
    touching = right.lstrip().removeprefix("モード")
    bare = touching.lstrip(_BLANKS + "をはもでに")
    if bare.startswith(words.JA_AGAINST + words.JA_ANSWERS):
        return False
    if touching.startswith("を"):
        verb = touching[1:].lstrip()
        against = any(phrase in verb[:NEAR] for phrase in words.JA_AGAINST)
        if against or not verb.startswith(words.JA_USED) or right.rstrip().endswith("た"):
            return False
    elif not right.startswith(" ") and touching.startswith(words.JA_ABOUT):
        return False
    question = _is_question(right) or right.rstrip().endswith("か")
    if question and _asks_of_the_project(left, right):
        return True
    return not question or any(phrase in right for phrase in words.JA_PLEASE)


def _chinese(left: str, right: str) -> bool:
    before = left.rstrip(" *")
    used = next((phrase for phrase in words.ZH_USED if before.endswith(phrase)), "")
    rest = before.removesuffix(used) if used else before
    if rest.endswith(words.ZH_AGAINST) and not rest.endswith(words.ZH_CAN_YOU):
        return False
    in_mode = before.endswith("在") and right.lstrip().startswith("模式")
    if not used and not in_mode and before.endswith(words.ZH_MENTIONED):
        return False
    touching = right.lstrip().removeprefix("模式")
    if touching.lstrip().startswith(words.ZH_ABOUT):
        return False
    if not _is_question(right) and not touching.endswith(words.ZH_ASKING):
        return True
    if any(phrase in before for phrase in words.ZH_SHOULD):
        return False
    return len(touching.strip(" 吗嗎呢么？?")) > 1


def _korean(left: str, right: str) -> bool:
    touching = right.lstrip().removeprefix("모드")
    if not right.startswith(" ") and touching.startswith(words.KO_ABOUT):
        return False
    particle = next((ko_particle for ko_particle in words.KO_PARTICLES if touching.startswith(ko_particle)), "")
    bare = touching.removeprefix(particle).lstrip(_BLANKS)
    if bare.startswith(words.KO_AGAINST + words.KO_ANSWERS):
        return False
    if particle in words.KO_OBJECT and not bare.startswith(words.KO_USED):
        return False
    if _is_question(right) and _asks_of_the_project(left, right):
        return True
    return not _is_question(right) or any(phrase in right for phrase in words.KO_PLEASE)


_JUDGES: "dict[str, Callable[[str, str], bool]]" = {"ja": _japanese, "zh": _chinese, "ko": _korean}
