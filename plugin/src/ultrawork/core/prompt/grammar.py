"""Is a word in this sentence an order, or only mentioned?"""

from . import order_words as words
from .prose import OPAQUE
from .sentence import REACH, SPACELESS, Sentence, find_places, is_alone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_PLACES = 500
SHORT = 3

_LIST_MARKS = " ,/&|\u3001"
_EQUALS = ("=", "->", "=>", "\u2192", "|")


def find_first_order(text: str, keywords: "Iterable[str]") -> tuple[int, int] | None:
    """Return the place of the first order. `text` holds only the user's own words, in lowercase, here and below."""
    mentioned = -1  # the end of the last one that was no order
    for start, end in _places(text, keywords):
        listed = mentioned >= 0 and _joins_list(text[mentioned:start].strip(_LIST_MARKS))
        if not listed and is_alone(text, start, end) and is_order(text, start, end):
            return start, end
        mentioned = end
    return None


def _places(text: str, keywords: "Iterable[str]") -> list[tuple[int, int]]:
    places: list[tuple[int, int]] = []
    for place in find_places(text, keywords):
        if len(places) == MOST_PLACES:
            break
        places.append(place)
    return sorted(places)


def _joins_list(between: str) -> bool:
    return not between or between in words.LIST_WORDS


def is_order(text: str, start: int, end: int, sentence: Sentence | None = None) -> bool:
    """Return whether the word is an order; pass `sentence` if it is known."""
    if is_cjk(text, start, end):
        from . import cjk

        return cjk.is_order(text, start, end)
    if text[end : end + 8].lstrip(" *").startswith(_EQUALS) or _is_assigned(text, start):
        return False
    sentence = sentence or Sentence(text, start, end)
    return not any(rule(sentence) for rule in _REASONS_AGAINST)


def _is_assigned(text: str, start: int) -> bool:
    return text[max(start - 8, 0) : start].rstrip(" [(*").endswith("=")


def is_governed(text: str, start: int, end: int) -> bool:
    """Return whether the sentence needs the word: `with ulw`, `ulw mode`. Else it can be taken out."""
    if is_cjk(text, start, end):
        from . import cjk

        return cjk.is_governed(text, start, end)
    sentence = Sentence(text, start, end)
    return is_used(sentence) or bool(sentence.after and sentence.after[0] in words.USES_AFTER)


def is_cjk(text: str, start: int, end: int) -> bool:
    """Return whether the sentence is Japanese, Chinese or Korean, which have their own grammar."""
    near = text[max(0, start - REACH) : end + REACH]
    if max(near.replace(OPAQUE, ""), default="") < SPACELESS:
        return False
    from . import cjk

    return cjk.is_cjk(text, start, end)


def find_opening(tokens_before: list[str]) -> list[str]:
    """Return the words after greetings and courtesies."""
    for place, word in enumerate(tokens_before):
        if word not in words.FILLERS:
            return tokens_before[place:]
    return []


def find_asked_words(sentence: Sentence) -> list[str] | None:
    """Return the words after `can you`, or None if the sentence requests nothing."""
    opening = find_opening(sentence.lead + sentence.before if sentence.question else sentence.before)
    if len(opening) > 1 and opening[0] in words.ASKED_YOU and opening[1] in words.YOU:
        return find_opening(opening[2:])
    for place, word in enumerate(opening[:SHORT]):
        if word in words.REQUESTS:
            rest = opening[place + 1 :]
            return find_opening(rest[1:] if rest and rest[0] in words.PRONOUNS else rest)
    return None


def _governor(before: list[str]) -> int:
    """The place of the word that the keyword hangs on; articles and `mode` lie between."""
    place = len(before) - 1
    while place >= 0 and (before[place] in words.DETERMINERS or before[place] in words.MODES):
        place -= 1
    return place


def is_used(sentence: Sentence) -> bool:
    """`use ulw`, `with ulw`, `in ulw mode`, `turn on ulw`."""
    before = sentence.before
    place = _governor(before)
    if place < 0:
        return bool(before) and before[-1] in words.MODES
    word, earlier = before[place], before[place - 1] if place else ""
    if word in ("on", "off"):
        return earlier in (("turn", "switch") if word == "on" else ("kick",))
    if word == "to":
        return earlier in words.SWITCHES
    if word in words.USES and not (word == "start" and earlier in words.ASKS):
        return earlier not in words.TROUBLES
    return word in words.PLACES and (earlier in words.SHIFTS or _has_mode(sentence))


def _has_mode(sentence: Sentence) -> bool:
    near = sentence.before[-2:] + sentence.after[:1]
    if any(word in words.MODES for word in near):
        return True
    if _rest(sentence):
        return False
    return len(sentence.before) < SHORT or sentence.before[-2] in words.ANYTHING


def _is_negated(sentence: Sentence) -> bool:
    before = [word for word in sentence.before if word not in words.DETERMINERS]
    near = [word for word in before if word not in words.ADVERBS or word in words.NEGATORS]
    if near and _negates(near[-1]):
        return True
    if len(near) > 1 and _negates(near[-2]) and near[-2] not in words.WITHOUTS:
        return True
    needed = bool(before) and before[-1] in words.NEEDS
    if (needed or is_used(sentence)) and any(_negates(word) for word in before):
        return True
    return _negated_after(sentence)


def _is_refused(sentence: Sentence) -> bool:
    """`ulw: no`, `everything but ulw`."""
    rest = [word for word in sentence.after + sentence.tail if word not in words.CLOSERS]
    if rest and all(word in words.REFUSALS for word in rest):
        return True
    before = sentence.before
    return len(before) > 1 and before[-1] == "but" and before[-2] in words.ALL_OR_NOTHING


def _is_thanked(sentence: Sentence) -> bool:
    """`ulw thanks`, `ulw merci beaucoup`; not `ulw thanks, now fix the rest`."""
    rest = sentence.after + sentence.tail
    if not any(word in words.THANKS for word in rest):
        return False
    return not sentence.before and all(word in words.THANKS or word in words.ADDRESSED for word in rest)


def _negates(word: str) -> bool:
    return word in words.NEGATORS or word.startswith("n'")


def _negated_after(sentence: Sentence) -> bool:
    after = [word for word in sentence.after if word not in words.CLOSERS]
    if not any(word in words.NEGATED_AFTER for word in after):
        return False
    # `ulw brauchen wir nicht` is about ulw, `ulw wir brauchen den Rabatt nicht` about something else.
    first = next((word for word in after if word not in words.NEGATED_AFTER), "")
    if first in words.NEEDS or any(word in words.LATE_USES for word in after[:SHORT]):
        return True
    return after[0] in words.NEGATED_AFTER and (len(after) == 1 or after[0] == "not" or is_used(sentence))


def _is_ended(sentence: Sentence) -> bool:
    """`stop using ulw`, `leave ulw mode`, `turn ulw off`; not `take it end to end with ulw`."""
    before = drop_end_to_end(sentence.before)
    place = _governor(before)
    if place >= 0 and before[place] == "off":
        return before[place - 1] != "kick"
    if place > 0 and before[place] in words.USES:
        place -= 1
    if place >= 0 and before[place] in words.ENDS:
        return True
    after = [word for word in sentence.after if word not in words.CLOSERS]
    return bool(after) and after[0] in words.OFFS


def drop_end_to_end(before: list[str]) -> list[str]:
    return before[:-3] if before[-3:] == ["end", "to", "end"] else before


def _is_subject(sentence: Sentence) -> bool:
    """Return whether it is the subject: `ulw is …`, `ulw never works`; not `ulw can you …`."""
    after = sentence.after
    while after and after[0] in words.ADVERBS:
        after = after[1:]
    if after and after[0] in words.MODES and len(after) > 1 and after[1] != "on":
        after = after[1:]
    if not after or after[0] not in words.FINITES:
        return False
    return not (len(after) > 1 and after[1] in words.ADDRESSED)


def _asks_about(sentence: Sentence) -> bool:
    """Return whether a question asks about it without requesting work."""
    opening = find_opening(sentence.lead + sentence.before if sentence.question else sentence.before)
    if not sentence.question and not _opens_question(opening):
        return False
    request = find_asked_words(sentence)
    if request is not None:
        return not _asks_for_work(sentence, request)
    if not sentence.lead and not find_opening(sentence.before):
        rest = sentence.after + sentence.tail
        short = len(rest) < SHORT and not _is_name_question(rest, sentence.following)
        return short or all(word in words.ABOUT_WORDS for word in rest)
    return not (sentence.tail and all(word in words.TAGS for word in sentence.tail))


def _is_name_question(rest: list[str], following: list[str]) -> bool:
    """Return whether the question mark belongs to a name, as in Ruby: `ulw Poem.rhyme? must …`, `ulw rhyme? must …`."""
    if rest and any(mark in rest[-1] for mark in "._#"):
        return True
    if not rest or any(word in words.ABOUT_WORDS or word in words.ASKS for word in rest):
        return False
    has_subject = following[1:2] and following[1] in (words.SUBJECTS_ASKED | words.ADDRESSED)
    return bool(following) and following[0] in words.PREDICATES and not has_subject


def _opens_question(opening: list[str]) -> bool:
    if not opening:
        return False
    if opening[0] in words.ASKS or opening[0] in words.ASKING_VERBS:
        return True
    if len(opening) > 1 and opening[0] in words.BEFORE_ASKS and opening[1] in words.ASKS:
        return True
    if opening[0] not in words.ASKING_WITH_SUBJECT:
        return False
    return len(opening) == 1 or (opening[1] in words.SUBJECTS_ASKED and opening[:2] != ["do", "it"])


def _asks_for_work(sentence: Sentence, request: list[str]) -> bool:
    if any(word in words.ANSWERS for word in request[:2] + sentence.after[-1:]):
        return False
    opening = find_opening(sentence.before)
    if opening[:3] == ["would", "you", "use"]:
        return False
    return not request or is_used(sentence)


def _asks_for_words(sentence: Sentence) -> bool:
    """Return whether an explanation is requested: `explain ulw`, `let me know whether ulw …`."""
    opening = find_asked_words(sentence)
    opening = find_opening(sentence.before) if opening is None else opening
    while len(opening) > 1 and opening[0] in words.BEFORE_ANSWERS:
        opening = opening[1:]
    if opening and opening[0] in words.ANSWERS:
        return True
    return any(word in words.KNOWS for word in sentence.before)


def _is_mentioned(sentence: Sentence) -> bool:
    """Return whether the word before makes it a mention."""
    before = sentence.before
    if not before or is_used(sentence) or find_asked_words(sentence) == []:
        return False
    last, is_last = before[-1], not _rest(sentence)
    if last in words.DETERMINERS:
        return not (last in words.ANYTHING and is_last)
    if last == "to":
        return not (len(before) > 1 and before[-2] in words.ASKED_TO)
    if last == "like":
        return before[-2:-1] not in (["i'd"], ["we'd"], ["would"])
    if last in words.KINDS:
        return not is_last and sentence.after[0] not in words.JOINTS
    if last in words.ANDS:
        return is_last
    return last in words.MENTIONS or last in words.PLACES or last in words.USES


def _rest(sentence: Sentence) -> list[str]:
    """Return the rest of the clause, without courtesies."""
    return [w for w in sentence.after if w not in words.CLOSERS and w not in words.FILLERS]


def _is_object(sentence: Sentence) -> bool:
    """Return whether it is the object of one verb before it that does not use it: `rename ulw to …`."""
    if sentence.after and (sentence.after[0] in words.USES_AFTER or sentence.after[0] in words.ORDERS):
        return False
    request = find_asked_words(sentence)
    opening = find_opening(sentence.before) if request is None else request
    if len(opening) != 1 or is_used(sentence) or opening[0] in words.WISHES:
        return False
    return opening[0].replace("-", "").replace("'", "").isalpha()


def _is_named(sentence: Sentence) -> bool:
    """`the ulw keyword`, `ulw plugin …`."""
    if _gets_a_name(sentence):
        return True
    if sentence.tail[:1] and sentence.tail[0] in words.GLOSSES:
        return True
    if not sentence.before and sentence.lead and all(w in words.HEADINGS for w in sentence.lead):
        return True
    if sentence.after and sentence.after[0] in words.LIKE:
        return any(word in words.NAMES for word in sentence.after[1:5])
    if not sentence.after or is_used(sentence) or _is_commit_type(sentence):
        return False
    known = words.THINGS if find_opening(sentence.before) else words.SURE_THINGS
    return sentence.after[0] in known


def _is_commit_type(sentence: Sentence) -> bool:
    """`ulw docs: …`, `ulw docs(cache): …`, `ulw docs - …`, as commits are titled."""
    return not sentence.before and len(sentence.after) == 1 and bool(sentence.tail)


def _gets_a_name(sentence: Sentence) -> bool:
    """`call it ulw`, `let's name the branch ulw`."""
    opening = [word for word in find_opening(sentence.before) if word not in words.BEFORE_ANSWERS]
    return 1 < len(opening) <= SHORT and opening[0] in words.NAMING and not _rest(sentence)


def _is_statement(sentence: Sentence) -> bool:
    """Return whether it is a statement: `we used ulw yesterday`, `when I use ulw`. A wish is not."""
    opening = find_opening(sentence.before)
    if opening and opening[0] in words.SUBORDINATES:
        return any(word in words.SPEAKERS for word in opening)
    if not opening or opening[0] not in words.SPEAKERS:
        return False
    if sentence.after and sentence.after[0] in words.ORDERS:
        return False
    return not any(word in words.WISHES for word in opening)


def _is_command_line(sentence: Sentence) -> bool:
    opening = find_opening(sentence.before)
    if not opening or opening[0] not in words.PROGRAMS:
        return False
    return len(opening) == 1 or not (sentence.after and sentence.after[0] in words.ORDERS)


_REASONS_AGAINST = (
    _is_negated,
    _is_refused,
    _is_thanked,
    _is_ended,
    _is_subject,
    _asks_about,
    _asks_for_words,
    _is_mentioned,
    _is_object,
    _is_named,
    _is_statement,
    _is_command_line,
)
