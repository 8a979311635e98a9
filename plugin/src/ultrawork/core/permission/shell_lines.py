"""What a shell line or a patch would do to the project: the files it visibly writes, and the git commands.

Only what reading can show: what a program itself does is found in the files (`axiom_checkpoints`)."""

import re
import shlex
from collections.abc import Iterator

# Somewhere in the project, at an unknown path.
ANYWHERE = "."
_SHELLS = ("sh", "bash", "zsh", "dash", "ksh", "eval")
_CODE = {"python": "-c", "python3": "-c", "node": "-e", "perl": "-e", "ruby": "-e"}
# In code without blanks: what opens a file for writing, and what moves one.
_WRITING = (
    *(f",{sign}{mode}" for sign in "'\"" for mode in ("w", "a'", 'a"', "x'", 'x"', "r+")), "mode='w", 'mode="w',
    ".write_text(", ".write_bytes(", "writeFile", "appendFile", "shutil.copy", "shutil.move", "shutil.rmtree",
    "os.remove(", "os.rename(", "os.replace(", "unlink(",
)  # fmt: skip
# Programs that write their last argument, and those that write all.
_LAST, _ALL = ("cp", "mv", "install", "ln", "rsync"), ("rm", "touch", "truncate", "unlink", "tee")
_ENDS = (";", "&", "&&", "||", "|", "|&", "(", ")", ";;", "{", "}", "!", "do", "then", "else")
_REDIRECTS = (">", ">>", ">|", "&>", "&>>")
_WITH_VALUE = ("-C", "--git-dir", "--work-tree", "--namespace")
_DEEPEST = 4
# A client may apply such a line itself without running it: a patch, perhaps for a subfolder. The text before its last
# word excludes line breaks: searching from each of many blank lines would take quadratic time.
_SHELL_PATCH = r"""\s*(?:cd\s+(\S+)\s*&&\s*)?apply_?patch\s*<<-?\s*(['"]?)(\w+)\2[ \t]*\n(.*)\n[ \t]*\3"""
_PATCHED = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")
# Whole quotations and comments, from left to right; the mark for one that contains only operators.
_QUOTED = r"""\\.|'[^']*'|"(?:\\.|[^"\\])*\""""
_COMMENT = r"""(?<![^\s;&|()])#[^\n]*"""
IN_QUOTES, _OPERATORS = "\ue000", "<>|&;()!{}"
# Without quotes, escapes and comments a line is words and marks; a lexer takes fifty times as long.
_NEEDS_CARE = frozenset("'\"\\#")
_PLAIN_TOKENS = r"[();<>|&]+|[^ \t\r\n();<>|&]+"
# Up to an unclosed quotation or a final backslash; and up to where one ends.
_OPENS = rf"""(?:{_QUOTED}|{_COMMENT}|[^'"\\#]|#)*+(['"\\])"""
_CLOSES = {"'": "[^']*'", '"': r'(?:\\.|[^"\\])*+"'}
# A here-document and its end word; with a number it is a shift, with a third sign it feeds one word.
_DOCUMENT = rf"""{_QUOTED}|{_COMMENT}|<<<|<<-?[ \t]*(?:(['"])(.+?)\1|\\?([^\s\d'"<>|&;()][^\s'"<>|&;()]*))"""
# Inside these, at the beginning of a command, the signs compare.
_TESTS = {"[[": "]]", "((": "))"}
_LEADING: tuple[list[str], ...] = ([], ["if"], ["elif"], ["while"], ["until"], ["for"])


def list_written(text: str, *, cautious: bool = False) -> list[str]:
    """
    Return the files that a command plainly writes, as it names them; a relative path counts from the starting
    folder. With `cautious`, leave out copies, removals and code, lines that no shell could read, and every
    relative path after a change of folder.
    """
    paths: list[str] = []
    moved = False
    for words in list_commands(text, cautious=cautious):
        named = _list_edited(words) if cautious else _list_targets(words)
        # After leaving the project, commands write there.
        paths += [path for path in named if path.startswith(("/", "~")) or not moved]
        if words[0] in ("cd", "pushd"):
            moved = cautious or not words[1:] or words[1].startswith(("/", "~", "..", "$", "-"))
    return [path for path in dict.fromkeys(paths) if path and path[0] not in "$&"]


def find_patch(command: str) -> tuple[str, str]:
    """The patch that a line hands to the client, and the folder that it is for; empty if it is a command."""
    match = re.fullmatch(_SHELL_PATCH, command.rstrip(), re.DOTALL)
    return (match[4], (match[1] or "").strip("'\"")) if match else ("", "")


def list_patched(patch: str) -> list[str]:
    """Return the files that a patch writes, moves or deletes."""
    lines = (line.strip() for line in patch.splitlines())
    return [line.partition(": ")[2] for line in lines if line.startswith(_PATCHED)]


def list_git_verbs(text: str) -> Iterator[str]:
    """Yield the git subcommands in a command; an alias defined there is resolved."""
    for command in list_commands(text) if "git" in text else ():
        words = iter(command)
        for word in words:
            if word.rpartition("/")[2] == "git":
                yield from _read_verb(words)


def _read_verb(words: Iterator[str]) -> Iterator[str]:
    for word in words:
        if word == "-c":
            _, is_alias, stands_for = next(words, "").partition("alias.")
            if is_alias:
                yield stands_for.partition("=")[2].strip("! ").split(" ")[0]
        elif word in _WITH_VALUE:
            next(words, "")
        elif not word.startswith("-"):
            yield word
            return


def list_commands(text: str, depth: int = 0, *, cautious: bool = False) -> Iterator[list[str]]:
    """Yield the simple commands of a text, including those quoted for another shell."""
    for line in _drop_documents(text):
        if cautious and _find_open_quote(line):
            continue
        command: list[str] = []
        words = [*split_shell_words(line), ";"]
        compares = ""
        for at, word in enumerate(words):
            if depth < _DEEPEST and ("$(" in word or "`" in word):
                yield from list_commands(word.replace("$(", ";").strip("`"), depth + 1, cautious=cautious)
            if compares:
                compares = "" if word.startswith(compares) else compares
                continue
            if word in _TESTS and command in _LEADING:
                # Without its end it is not one, but nested parentheses.
                rest = words[at:]
                compares = _TESTS[word] if any(other.startswith(_TESTS[word]) for other in rest) else ""
                continue
            if word not in _ENDS:
                command.append(word)
                continue
            if command:
                yield command
                yield from _list_inner(command, depth, cautious=cautious)
            command = []


def _list_inner(command: list[str], depth: int, *, cautious: bool) -> Iterator[list[str]]:
    """Yield what a shell is given to run, below any wrapper."""
    for at, word in enumerate(command):
        if word.rpartition("/")[2] in _SHELLS and depth < _DEEPEST:
            for argument in command[at + 1 :]:
                if " " in argument or ">" in argument:
                    yield from list_commands(argument, depth + 1, cautious=cautious)


def _drop_documents(text: str) -> Iterator[str]:
    """Yield lines; a here-document is not a command, unless its program runs it."""
    end, runs, fed = "", "", []
    for line in _join_quotations(text.replace("\\\n", " ").split("\n")):
        if end and line.strip() != end:
            fed.append(line)
        elif end:
            end = ""
            if runs:
                yield f"{runs} {_CODE[runs]} {_quote(' '.join(fed))}"
        else:
            end, runs, fed = *_read_document(line), []
            yield line


def _join_quotations(lines: list[str]) -> Iterator[str]:
    """Join lines inside quotes; a quote that never closes stays as it is."""
    end, place = "", 0
    while place < len(lines):
        taken = 1 if end else _count_quoted(lines, place)
        line = "\n".join(lines[place : place + taken])
        place += taken
        if end and line.strip() == end:
            end = ""
        elif not end:
            end = _read_document(line)[0]
        yield line


def _count_quoted(lines: list[str], place: int) -> int:
    """Return how many lines belong to the one at a place."""
    inside = ""
    for taken, at in enumerate(range(place, len(lines)), 1):
        inside = _find_open_quote(lines[at], inside)
        if inside not in _CLOSES:
            return taken
    return 1


def _find_open_quote(line: str, inside: str = "") -> str:
    """Return the quote that is open after a line, given the one open before it; a backslash if the line ends
    with it."""
    begin = 0
    if inside:
        closed = re.compile(_CLOSES[inside], re.DOTALL).match(line)
        if closed is None:
            return inside
        begin = closed.end()
    opened = re.compile(_OPENS, re.DOTALL).match(line, begin)
    return opened[1] if opened else ""


def _read_document(line: str) -> tuple[str, str]:
    """The word that ends the text which a line feeds to a program, and that program if it runs it."""
    for match in re.finditer(_DOCUMENT, line, re.DOTALL) if "<<" in line else ():
        end = match[2] or match[3]
        if end:
            program = (line[: match.start()].split() or [""])[0].rpartition("/")[2]
            return end, program if program in _CODE else ""
    return "", ""


def _quote(text: str) -> str:
    return shlex.quote(text)


def _read_words(line: str) -> list[str]:
    """Split like a shell, but mark operators in quotes, which would look like real ones."""

    def mark(match: re.Match[str]) -> str:
        quoted = match[0]
        if quoted[0] == "#":
            return ""
        if quoted[0] == "\\":
            return f"{quoted}{IN_QUOTES}" if quoted[1] in _OPERATORS else quoted
        return quoted if quoted[1:-1].strip(_OPERATORS) else f"{quoted[:-1]}{IN_QUOTES}{quoted[-1]}"

    plain = re.sub(f"{_QUOTED}|{_COMMENT}", mark, line, flags=re.DOTALL)
    lexer = shlex.shlex(plain, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    return list(lexer)


def split_shell_words(line: str) -> list[str]:
    """Return the words and operators of a line; a quoted operator ends in `IN_QUOTES`."""
    if _NEEDS_CARE.isdisjoint(line):
        return re.findall(_PLAIN_TOKENS, line)
    try:
        return _read_words(line)
    except ValueError:
        return line.split()


def _list_redirected(words: list[str]) -> list[str]:
    pairs = zip(["", *words[:-1]], words, [*words[1:], ""], strict=True)
    # The second stream carries messages, not results.
    return [after for before, word, after in pairs if word in _REDIRECTS and before != "2"]


def _list_edited(words: list[str]) -> list[str]:
    """Return what is visibly written: by a redirection, by `tee`, or by `sed` in place."""
    redirected = _list_redirected(words)
    for at, word in enumerate(words):
        if word.rpartition("/")[2] == "tee":
            redirected += [argument for argument in words[at + 1 :] if argument[0] not in "-<>"]
        elif word.rpartition("/")[2] == "sed" and _is_inplace(words):
            redirected.append(words[-1])
    return redirected


def _list_targets(words: list[str]) -> list[str]:
    redirected = _list_redirected(words)
    for at, word in enumerate(words):
        name = word.rpartition("/")[2]
        named = [operand for operand in words[at + 1 :] if not operand.startswith("-") and operand not in _REDIRECTS]
        if name in _ALL:
            redirected += named
        elif (name in _LAST and len(named) > 1) or (name in ("sed", "perl") and _is_inplace(words)):
            redirected += named[-1:]
        elif name == "dd":
            redirected += [operand[3:] for operand in named if operand.startswith("of=")]
        elif name == "patch" or (name in _CODE and is_writing(" ".join(words[at + 1 :]))):
            redirected.append(ANYWHERE)
    return redirected


def _is_inplace(words: list[str]) -> bool:
    return any(word.startswith(("-i", "--in-place", "-pi", "-ni")) for word in words)


def is_writing(code: str) -> bool:
    """Return whether a few words of code open something to write; what names a place outside is left alone."""
    plain = code.replace(" ", "")
    return "/tmp/" not in plain and any(mark in plain for mark in _WRITING)  # noqa: S108
