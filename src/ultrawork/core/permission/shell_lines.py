"""
What a line of shell or a patch would do to the project: the files that it plainly writes, and what git is asked for.

Plainly is all that reading can see: what a program does by itself is found in the files (`axiom_checkpoints`).
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Somewhere in the project, nobody can say where.
ANYWHERE = "."
_SHELLS = ("sh", "bash", "zsh", "dash", "ksh", "eval")
_CODE = {"python": "-c", "python3": "-c", "node": "-e", "perl": "-e", "ruby": "-e"}
# In code without blanks: what opens a file to write, and what puts one elsewhere.
_WRITING = (
    *(f",{sign}{mode}" for sign in "'\"" for mode in ("w", "a'", 'a"', "x'", 'x"', "r+")), "mode='w", 'mode="w',
    ".write_text(", ".write_bytes(", "writeFile", "appendFile", "shutil.copy", "shutil.move", "shutil.rmtree",
    "os.remove(", "os.rename(", "os.replace(", "unlink(",
)  # fmt: skip
# Programs that write the last of their names, and those that write all.
_LAST, _ALL = ("cp", "mv", "install", "ln", "rsync"), ("rm", "touch", "truncate", "unlink", "tee")
_ENDS = (";", "&", "&&", "||", "|", "|&", "(", ")", ";;", "{", "}", "!", "do", "then", "else")
_REDIRECTS = (">", ">>", ">|", "&>", "&>>")
_WITH_VALUE = ("-C", "--git-dir", "--work-tree", "--namespace")
_DEEPEST = 4
# Codex reads such a line itself and runs nothing: a patch, perhaps for a folder further down. What stands before
# its last word is no line break: looked for from each of many blank lines, their end takes a time of its square.
_SHELL_PATCH = (
    r"""\s*(?:cd\s+(\S+)\s*&&\s*)?apply_?patch\s*<<-?\s*(['"]?)(\w+)\2[ \t]*\n(.*)\n[ \t]*\3"""
)
_PATCHED = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")
# Whole quotations, from left to right; what is put into one that holds nothing but signs of operators.
_QUOTED = r"""'[^']*'|"(?:\\.|[^"\\])*\""""
_NO_OPERATOR, _OPERATORS = "\ue000", "<>|&;()!{}"


def list_written(text: str, *, cautious: bool = False) -> list[str]:
    """
    The files that a command plainly writes, as it names them; a relative one counts from where it begins. To be
    `cautious` leaves out what nobody calls an edit (copies, removals, code), lines that no shell could read, and
    every relative path behind a change of folder.
    """
    found: list[str] = []
    moved = False
    for words in list_commands(text, cautious=cautious):
        named = _list_edited(words) if cautious else _list_targets(words)
        # Who has gone out of the project writes there.
        found += [path for path in named if path.startswith(("/", "~")) or not moved]
        if words[0] in ("cd", "pushd"):
            moved = cautious or not words[1:] or words[1].startswith(("/", "~", "..", "$", "-"))
    return [path for path in dict.fromkeys(found) if path and path[0] not in "$&"]


def find_patch(command: str) -> tuple[str, str]:
    """The patch that a line hands to Codex, and the folder that it is for; empty if it is a command."""
    import re

    found = re.fullmatch(_SHELL_PATCH, command.rstrip(), re.DOTALL)
    return (found[4], (found[1] or "").strip("'\"")) if found else ("", "")


def list_patched(patch: str) -> list[str]:
    """The files that a patch writes, moves or deletes, as it names them."""
    lines = (line.strip() for line in patch.splitlines())
    return [line.partition(": ")[2] for line in lines if line.startswith(_PATCHED)]


def list_git_verbs(text: str) -> "Iterator[str]":
    """What git is asked for in a command, wherever in it; an alias that it brings along is what it stands for."""
    for command in list_commands(text) if "git" in text else ():
        words = iter(command)
        for word in words:
            if word.rpartition("/")[2] == "git":
                yield from _read_verb(words)


def _read_verb(words: "Iterator[str]") -> "Iterator[str]":
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


def list_commands(text: str, depth: int = 0, *, cautious: bool = False) -> "Iterator[list[str]]":
    """The simple commands of a text, one after another, those inside of quotes for another shell too."""
    for line in _drop_documents(text):
        if cautious and _has_open_quote(line):
            continue
        command: list[str] = []
        for word in [*_split(line), ";"]:
            if depth < _DEEPEST and ("$(" in word or "`" in word):
                yield from list_commands(
                    word.replace("$(", ";").strip("`"), depth + 1, cautious=cautious
                )
            if word not in _ENDS:
                command.append(word)
                continue
            if command:
                yield command
                yield from _list_inner(command, depth, cautious=cautious)
            command = []


def _list_inner(command: list[str], depth: int, *, cautious: bool) -> "Iterator[list[str]]":
    """What a shell is given to run, beneath whatever leads it."""
    for at, word in enumerate(command):
        if word.rpartition("/")[2] in _SHELLS and depth < _DEEPEST:
            for one in command[at + 1 :]:
                if " " in one or ">" in one:
                    yield from list_commands(one, depth + 1, cautious=cautious)


def _drop_documents(text: str) -> "Iterator[str]":
    """Line by line; a text that is fed to a program is no command, unless the program runs it."""
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


def _join_quotations(lines: list[str]) -> "Iterator[str]":
    """What stands in quotes over several lines is one line; what opens one that never closes stays as it is."""
    end, place = "", 0
    while place < len(lines):
        taken = 1
        if not end and _has_open_quote(lines[place]):
            joined = ("\n".join(lines[place:stop]) for stop in range(place + 2, len(lines) + 1))
            taken += next(
                (more for more, one in enumerate(joined, 1) if not _has_open_quote(one)), 0
            )
        line = "\n".join(lines[place : place + taken])
        place += taken
        if end and line.strip() == end:
            end = ""
        elif not end:
            end = _read_document(line)[0]
        yield line


def _has_open_quote(line: str) -> bool:
    if "'" not in line and '"' not in line:
        return False
    try:
        _read_words(line)
    except ValueError:
        return True
    return False


def _read_document(line: str) -> tuple[str, str]:
    """The word that ends the text which a line feeds to a program, and that program if it runs it."""
    first, found, rest = line.partition("<<")
    if not found or rest.startswith("<"):
        return "", ""
    words = rest.lstrip("- ").split()
    program = (first.split() or [""])[0].rpartition("/")[2]
    return (words[0].strip("'\"\\;|)>") if words else ""), program if program in _CODE else ""


def _quote(text: str) -> str:
    import shlex

    return shlex.quote(text)


def _read_words(line: str) -> list[str]:
    """As a shell reads them, but for operators in quotes, which are words and would look like any other."""
    import re
    import shlex

    def mark(found: "re.Match[str]") -> str:
        quoted = found[0]
        return (
            quoted if quoted[1:-1].strip(_OPERATORS) else f"{quoted[:-1]}{_NO_OPERATOR}{quoted[-1]}"
        )

    plain = re.sub(_QUOTED, mark, line)
    lexer = shlex.shlex(plain, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    return list(lexer)


def _split(line: str) -> list[str]:
    try:
        return _read_words(line)
    except ValueError:
        return line.split()


def _list_redirected(words: list[str]) -> list[str]:
    pairs = zip(["", *words[:-1]], words, [*words[1:], ""], strict=True)
    # What goes to the second stream are messages, not the work.
    return [after for before, word, after in pairs if word in _REDIRECTS and before != "2"]


def _list_edited(words: list[str]) -> list[str]:
    """What is written word by word: into a redirection, by `tee`, or by `sed` in place."""
    found = _list_redirected(words)
    for at, word in enumerate(words):
        if word.rpartition("/")[2] == "tee":
            found += [one for one in words[at + 1 :] if one[0] not in "-<>"]
        elif word.rpartition("/")[2] == "sed" and _is_inplace(words):
            found.append(words[-1])
    return found


def _list_targets(words: list[str]) -> list[str]:
    found = _list_redirected(words)
    for at, word in enumerate(words):
        name = word.rpartition("/")[2]
        named = [
            one for one in words[at + 1 :] if not one.startswith("-") and one not in _REDIRECTS
        ]
        if name in _ALL:
            found += named
        elif (name in _LAST and len(named) > 1) or (name in ("sed", "perl") and _is_inplace(words)):
            found += named[-1:]
        elif name == "dd":
            found += [one[3:] for one in named if one.startswith("of=")]
        elif name == "patch" or (name in _CODE and is_writing(" ".join(words[at + 1 :]))):
            found.append(ANYWHERE)
    return found


def _is_inplace(words: list[str]) -> bool:
    return any(one.startswith(("-i", "--in-place", "-pi", "-ni")) for one in words)


def is_writing(code: str) -> bool:
    """Whether a few words of code open something to write; what names a place outside is left alone."""
    plain = code.replace(" ", "")
    return "/tmp/" not in plain and any(mark in plain for mark in _WRITING)  # noqa: S108
