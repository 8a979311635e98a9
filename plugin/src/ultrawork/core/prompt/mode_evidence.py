"""
Decide whether words of a mode that also have an ordinary meaning ask for work.

The neighboring words decide, or the way the words are used.
"""

from . import mode_words as table
from . import order_words
from .grammar import find_asked_words, find_opening, is_cjk, is_used
from .mode_mentions import AMBIGUOUS, NEITHER, ORDER, RALPH, TEAM, ModeWords
from .prose import OPAQUE
from .sentence import Sentence, split_tokens

NEAR = 4


def judge_signs(text: str, sentence: Sentence, run: ModeWords) -> str:
    """Return whether words that the grammar accepts as an order are one."""
    if is_cjk(text, run.start, run.end):
        has_mode = text[run.end : run.end + 8].lstrip().startswith(table.CJK_MODES)
        return ORDER if has_mode or not run.common else NEITHER
    doubtful = _has_other_sense(sentence, run)
    if not doubtful and (any(sign(sentence, run) for sign in _SIGNS) or _is_alone(text, sentence, run)):
        return ORDER
    if _heads_an_order(text, sentence, run):
        return AMBIGUOUS
    if doubtful:
        return NEITHER
    greeted = not table.GREETINGS.isdisjoint(sentence.before)
    likely = (not find_opening(sentence.before) and not greeted) or is_used(sentence)
    return AMBIGUOUS if likely and not run.common else NEITHER


def _has_other_sense(sentence: Sentence, run: ModeWords) -> bool:
    if run.telling or len(run.names) > 1:
        return False
    near = {*sentence.before, *sentence.after, *sentence.lead, *sentence.tail}
    return any(not near.isdisjoint(table.OTHER_SENSES.get(name, ())) for name in run.names)


def _heads_an_order(text: str, sentence: Sentence, run: ModeWords) -> bool:
    """Return whether a prompt begins with it, or with its use, and goes on like an order: `team fix add in calc.py`,
    `use a pipeline and port it`. Such a prompt never starts nothing in silence."""
    before = find_opening(split_tokens(text[: run.start]))
    if not all(word in table.INDEFINITE_ARTICLES or word in table.CHOOSING for word in before):
        return False
    rest = _rest(sentence)
    rest = rest[1:] if rest and rest[0] in order_words.JOINTS else rest
    if not rest or sentence.question or _tells(rest):
        return False
    if _is_verb(rest[0]):
        return rest[0] not in table.BOTH or table.DEFECTS.isdisjoint(rest)
    return _is_object(rest[0]) and not _has_other_sense(sentence, run)


def _begins(sentence: Sentence) -> bool:
    """Return whether only courtesies, `can you`, or another request precede it."""
    before = sentence.before
    if find_asked_words(sentence) == []:
        return True
    if not sentence.after and not table.GREETINGS.isdisjoint(before):
        return False
    lead = find_opening(sentence.lead)
    if not find_opening(before):
        return not lead or _is_verb(lead[0])
    first = find_opening(before)[0]
    return before[-1] in order_words.JOINTS and (_is_verb(first) or first in table.NAMES)


def _is_verb(word: str) -> bool:
    """`crée-moi` is one, too."""
    return word in table.VERBS or word in table.BOTH or word.partition("-")[0] in table.VERBS


def _has_mode(sentence: Sentence) -> bool:
    near = (*sentence.after[:1], *sentence.before[-1:])
    return any(word in order_words.MODES or word in table.MANNERS for word in near)


def _rest(sentence: Sentence) -> list[str]:
    """Return what follows in the clause, or after its colon, without `mode` and courtesies."""
    after = sentence.after
    if after and (after[0] in order_words.MODES or after[0] in table.MANNERS):
        after = after[1:]
    return _plain(after) or _plain(sentence.tail)


def _plain(words: list[str]) -> list[str]:
    """Return the words without leading courtesies, which include articles of many languages."""
    while words and _says_nothing(words[0]):
        words = words[1:]
    return words


def _says_nothing(word: str) -> bool:
    return word in table.BESIDE or (word in order_words.FILLERS and not _is_object(word))


def _is_object(word: str) -> bool:
    if word in table.OBJECTS or word in order_words.DETERMINERS:
        return True
    return word.startswith(OPAQUE) or word[:1].isdigit() or word[:1] == "#"


def _tells(rest: list[str]) -> bool:
    """Return whether a finite verb follows soon: `autopilot build fails`; not `ralph fix what is broken`."""
    for place, word in enumerate(rest[: NEAR + 1]):
        if word in table.RELATIVES:
            return False
        if place and word in order_words.FINITES and word not in table.NO_VERBS:
            return word not in table.VERBS
    return False


def _asks_for_work(rest: list[str], *, strictly: bool) -> bool:
    if not rest or _tells(rest):
        return False
    first, second = rest[0], rest[1] if len(rest) > 1 else ""
    if first in table.BOTH:
        return _is_object(second) or (not strictly and len(rest) != 2)
    return _is_verb(first) and (not strictly or _is_object(second) or second in table.TOWARDS)


def _is_bidden(sentence: Sentence, run: ModeWords) -> bool:
    """Return whether it is a request: `ralph fix the tests`, `autopilot this`, `swarm 3 agents`, `can you ralph the
    rest`."""
    rest = _rest(sentence)
    if not rest or not _begins(sentence) or (sentence.question and find_asked_words(sentence) is None and not _addresses(rest)):  # fmt: skip
        return False
    if _asks_for_work(rest, strictly=run.common and not _has_mode(sentence)):
        return True
    if run.common or _tells(rest):
        return rest[0] in ("this", "it") and not _tells(rest)
    if rest[0] in order_words.LATE_USES:
        return True
    if _addresses(rest):
        return run.named != [RALPH]
    return _is_object(rest[0]) or rest[0] in table.TOWARDS


def _addresses(rest: list[str]) -> bool:
    """`ralph, can you …`, `autopilot, I want …`."""
    if len(rest) < 2:
        return False
    asks = rest[0] in order_words.ASKED_YOU and rest[1] in order_words.YOU
    return asks or (rest[0] in ("i", "we", "i'd") and rest[1] in order_words.WISHES)


def _is_put_to_use(sentence: Sentence, run: ModeWords) -> bool:
    """`use autopilot to …`, `with ralph`, `in team mode`."""
    if not is_used(sentence) or _keeps_company(sentence) or _is_place_of_a_defect(sentence):
        return False
    after = sentence.after
    if _has_mode(sentence):
        rest = _rest(sentence)
        if len(find_opening(sentence.before)) == 1 and sentence.before[-1] in order_words.PLACES:
            courtesy = after[1:2] and after[1] in table.COURTESIES
            return bool(courtesy) or not rest or _asks_for_work(rest, strictly=False) or _addresses(rest)
        return not after[1:] or _goes_on(after[1:])
    if run.common:
        return _is_chosen(sentence, run)
    if not table.ENGLISH_USES.intersection(sentence.before[-3:]):
        return True
    return not after or _goes_on(after)


def _is_chosen(sentence: Sentence, run: ModeWords) -> bool:
    """Return whether it is `use a team to build …`; of the common words only a team can be requested so."""
    before, rest = sentence.before, sentence.after + sentence.tail
    if run.named != [TEAM] or not rest or rest[0] not in table.TOWARDS:
        return False
    near = [word for word in before[-2:] if word not in table.INDEFINITE_ARTICLES]
    return bool(near) and near[-1] in table.CHOOSING


def _goes_on(after: list[str]) -> bool:
    """Return whether the words may follow a mode in use; a noun would make it the name of something."""
    first = after[0]
    if first in order_words.LIKE:
        return False
    known = (table.TOWARDS, table.COUNTED, table.AGENTS, order_words.JOINTS, order_words.USES_AFTER)
    if any(first in words for words in known) or _closes(first) or _is_object(first):
        return True
    return _asks_for_work(after, strictly=False)


def _closes(word: str) -> bool:
    return word in order_words.CLOSERS or word in order_words.FILLERS


def _keeps_company(sentence: Sentence) -> bool:
    near = [*sentence.before[:-1][-NEAR:], *sentence.after[-1:]]
    return any(word in table.COMPANY for word in near)


def _is_place_of_a_defect(sentence: Sentence) -> bool:
    before = [word for word in sentence.before if word not in order_words.DETERMINERS]
    if len(before) < 2 or before[-1] not in order_words.PLACES:
        return False
    return before[-2] in table.DEFECTS


def _is_let(sentence: Sentence, run: ModeWords) -> bool:
    """`let ralph finish it`, `I want autopilot to build …`."""
    before = [word for word in sentence.before if word not in order_words.DETERMINERS]
    if run.common or not before or before[-1] not in table.LETTING:
        return False
    rest = _rest(sentence)
    return not rest or rest[0] in table.TOWARDS or _closes(rest[0]) or _asks_for_work(rest, strictly=False)


def _is_added(sentence: Sentence, run: ModeWords) -> bool:
    """`fix the login bug, ralph`, `finish it ralph`."""
    after = sentence.after[1:] if _has_mode(sentence) else sentence.after
    if (run.common and not _has_mode(sentence)) or not all(map(_closes, after + sentence.tail)):
        return False
    opening = find_opening(sentence.lead + sentence.before)
    if not opening or not _is_verb(opening[0]):
        return False
    return not sentence.before or sentence.before[-1] in order_words.ANYTHING


def _speaks_for_itself(sentence: Sentence, run: ModeWords) -> bool:
    """`implement it on autopilot`, `swarm of 4 agents …`: after a verb, or before one."""
    if not run.telling or _tells(_rest(sentence)):
        return False
    rest, opening = _rest(sentence), find_opening(sentence.before)
    if opening and not _is_verb(opening[0]) and not is_used(sentence):
        return _is_let(sentence, run) or _is_wished(opening)
    if not sentence.after or sentence.after[0] in table.AIMS:
        return True
    return _goes_on(sentence.after) or _goes_on(rest or ["to"])


def _is_wished(opening: list[str]) -> bool:
    """`I'd like you to`."""
    return opening[-1] in table.DUTIES and any(word in order_words.WISHES for word in opening)


def _is_a_duty(sentence: Sentence, run: ModeWords) -> bool:
    """Return whether it is `I want you to autopilot this`, `we should ralph the rest`."""
    opening, rest = find_opening(sentence.before), _rest(sentence)
    if run.common or not opening or not rest or _tells(rest) or not _is_wished(opening):
        return False
    return _is_object(rest[0]) or _asks_for_work(rest, strictly=False)


_SIGNS = (_is_bidden, _is_put_to_use, _is_let, _is_added, _speaks_for_itself, _is_a_duty)


def _is_alone(text: str, sentence: Sentence, run: ModeWords) -> bool:
    """Return whether it is the whole prompt, or its first or last line."""
    if run.common and not _has_mode(sentence):
        return False
    if [word for word in sentence.lead + sentence.before if word not in table.SOFT]:
        return False
    rest = sentence.after + sentence.tail
    if [word for word in rest if word not in order_words.MODES and not _closes(word)]:
        return False
    before, after = text[: run.start].strip(), text[run.end :].partition("\n")[2].strip()
    first = not text[: run.start].strip("\n ").count("\n") and "\n" not in text[: run.start]
    return not before or not after or first
