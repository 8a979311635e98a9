"""Which modes a prompt requests, ends or only mentions.

The grammar of `ulw` decides whether the words can be an order at all. Words with an ordinary meaning then need a sign
that work is requested."""

from . import mode_words as table
from . import order, order_words, prose
from .grammar import drop_end_to_end, find_opening, is_governed, is_order
from .mode_mentions import AUTOPILOT, CANCEL, NEITHER, ORDER, PIPELINE, ULTRAWORK, ModeWords, find_runs, name_words
from .sentence import SPACELESS, Sentence, find_word_after, skip_word, split_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# So many in a row are a list of the modes, not a request for all of them.
LIST = 4


class PromptModes:
    """Everything a prompt requests, before incompatible parts are resolved."""

    __slots__ = ("cancel", "goal", "hint", "modes", "others")

    def __init__(self) -> None:
        self.modes: list[str] = []
        self.others: list[str] = []
        self.goal = ""
        self.hint = ""
        self.cancel = False

    def take(self, names: "Sequence[str]", goal: str) -> None:
        self.cancel = self.cancel or CANCEL in names
        self.goal = self.goal or goal
        for name in names:
            into = self.others if name in table.OTHERS.values() else self.modes
            if name not in into:
                into.append(name)


def collect_modes(prompt: str, words: "Sequence[str]") -> PromptModes:
    prompt_modes = PromptModes()
    known = name_words(words)
    for offset, part in order.split_long_prompt(prompt):
        text = _spaced(order.lower_in_place(prose.keep_own_words(part)))
        prompt_modes.cancel = prompt_modes.cancel or (not offset and has_mode_end(text, words))
        for run in find_runs(text, known):
            _judge(prompt_modes, prompt, text, run, offset)
        _take_wishes(prompt_modes, prompt, text)
    return prompt_modes


def _take_wishes(prompt_modes: PromptModes, prompt: str, text: str) -> None:
    if not any(stem in text for stem in table.EVERYDAY_STEMS):
        return
    from .everyday import find_mode_wishes

    for mode, certain in find_mode_wishes(text):
        if certain:
            prompt_modes.take([mode], prompt.strip())
        prompt_modes.hint = prompt_modes.hint or mode


def _spaced(text: str) -> str:
    """`ralph-mode` as `ralph mode`, every character in its place."""
    for compound in table.COMPOUNDS:
        text = text.replace(compound, " " + compound[1:])
    return text


def _judge(prompt_modes: PromptModes, prompt: str, text: str, run: ModeWords, offset: int) -> None:
    verdict = _judge_words(text, run)
    if verdict == ORDER:
        prompt_modes.take(run.names, _goal(prompt, text, run, offset))
    elif verdict and not prompt_modes.hint:
        prompt_modes.hint = run.named[0]


def _judge_words(text: str, run: ModeWords) -> str:
    if not (run.named or run.own) or len(run.named) > LIST:
        return NEITHER
    if _is_listed(text, run) or _is_command_line(text, run):
        return NEITHER
    sentence = Sentence(text, run.start, run.end)
    if run.named == [PIPELINE] and _chains_agents(text, sentence, run):
        return ORDER
    if _is_ended(sentence) or not is_order(text, run.start, run.end, sentence):
        return NEITHER
    if run.own:
        return ORDER
    from .mode_evidence import judge_signs

    return judge_signs(text, sentence, run)


def _is_listed(text: str, run: ModeWords) -> bool:
    """`- ralph: loops until …`, `2. team - …`: a line of a list about them."""
    line = text[text.rfind("\n", 0, run.start) + 1 : run.start].strip()
    marked = bool(line) and (line in "-*+\u2022" or line.rstrip(".)").isdigit())
    return marked and text[run.end : run.end + 3].lstrip(" *").startswith((":", "-", "\u2013", "\u2014", "("))


def _is_command_line(text: str, run: ModeWords) -> bool:
    """`ultrawork swarm status` is a call of our own program."""
    parts = text[run.start : run.end].split()
    return parts[0] == "ultrawork" and len(parts) > 1 and find_word_after(text, run.end)[0] in table.VERBS_OF_OURS


def _is_ended(sentence: Sentence) -> bool:
    """Return whether it is `cancel ralph`, in any script."""
    spoken = drop_end_to_end(sentence.before)
    before = [word for word in spoken if word not in order_words.DETERMINERS]
    return bool(before) and before[-1] in order_words.ENDS


def _chains_agents(text: str, sentence: Sentence, run: ModeWords) -> bool:
    """`pipeline explore -> architect -> executor "task"`."""
    start = text.rfind("\n", 0, run.start) + 1
    line = text[start : (text + "\n").find("\n", run.end)]
    if not any(arrow in line for arrow in table.ARROWS) or sentence.question:
        return False
    spoken = line.replace(":", " ").replace("[", " ").replace("]", " ").replace(",", " ").split()
    return sum(word in table.AGENTS for word in spoken) > 1


def _goal(prompt: str, text: str, run: ModeWords, offset: int) -> str:
    """Return the goal without mode words, unless the sentence needs them; `please use ralph` has no goal."""
    if _says_no_more(text, run):
        return ""
    if run.telling or is_governed(text, run.start, run.end) or _is_inside(text, run):
        return prompt.strip()
    rest = text[run.end :].lstrip(" ")
    has_mode = rest.startswith("mode") and not rest[4:5].isalpha()
    end = len(text) - len(rest) + 4 if has_mode else run.end
    return order.remove_word(prompt, run.start + offset, end + offset)


def _is_inside(text: str, run: ModeWords) -> bool:
    """Return whether the sentence breaks without it: `can you ralph the rest?`, `let autopilot handle it`."""
    sentence = Sentence(text, run.start, run.end)
    return bool(find_opening(sentence.before) and sentence.after)


def _says_no_more(text: str, run: ModeWords) -> bool:
    around = split_tokens(text[: run.start]) + split_tokens(text[run.end :])
    empty = (
        order_words.USES,
        order_words.FILLERS,
        order_words.CLOSERS,
        order_words.DETERMINERS,
        order_words.MODES,
        table.TOWARDS,
    )
    return not run.telling and all(any(word in words for words in empty) for word in around)


def has_mode_end(text: str, words: "Sequence[str]") -> bool:
    """`stop ralph`, `ralph off`, `please cancel autopilot, wrong branch`: at the beginning of a prompt."""
    spoken = " " + text.strip()
    place = 0
    while (further := skip_word(spoken, _past_comma(spoken, place), table.BEFORE_END)) > place:
        place = further
    verb = skip_word(spoken, place, table.END_VERBS)
    name, end = _name(spoken, skip_word(spoken, verb, ("the",)), words)
    if not name:
        return False
    manner = skip_word(spoken, end, table.FULL_NAMES.get(name, table.END_MANNERS))
    if manner == end and name in table.FULL_NAMES:
        return False
    if verb == place:
        after = skip_word(spoken, manner, table.LATE_ENDS)
        return after > manner and _is_over(spoken, after)
    return _is_over(spoken, manner)


def _past_comma(text: str, place: int) -> int:
    return place + 1 if text[place : place + 1] == "," else place


def _name(text: str, place: int, words: "Sequence[str]") -> tuple[str, int]:
    """Return the mode that is named next, and where its name ends."""
    word, end = find_word_after(text, place)
    if word == "auto":
        second, stop = find_word_after(text, end)
        word, end = (AUTOPILOT, stop) if second == "pilot" else (word, end)
    known = {**{mode: mode for mode in table.NAMES}, "auto-pilot": AUTOPILOT, **dict.fromkeys(words, ULTRAWORK)}
    return known.get(word, ""), end


def _is_over(text: str, place: int) -> bool:
    """Return whether the clause ends here, or continues in another script or with another request."""
    while (further := skip_word(text, place, table.AFTER_END)) > place:
        place = further
    rest = text[place:]
    first = rest.lstrip(" ")[:1]
    return first in ("", *".,!;\n") or first >= SPACELESS or rest.startswith(" and ")
