"""Write completion scripts for shells from the verbs' own tables."""

from collections.abc import Mapping
from shlex import quote

from .command import Command
from .environment import SWITCH
from .main import load_commands
from .verbs_table import ALIASES, VERBS

PROGRAMS = ("ultrawork", "ulw")
GLOBAL = ("--help", "--version")


def list_completions() -> dict[str, list[str]]:
    """
    Return what may follow each beginning: "" the verbs, "gates" its sub-verbs and flags, "gates allow" flags,
    "evidence --strength" the choices of a flag.
    """
    table = {"": [*VERBS, *ALIASES, *GLOBAL]}
    for verb in (*VERBS, *ALIASES):
        commands = load_commands(ALIASES.get(verb, verb))
        named = [command.name for command in commands if command.name]
        bare = commands[0] if not commands[0].name else None
        table[verb] = [*named, *_list_words(bare)]
        for command in commands:
            start = f"{verb} {command.name}".strip()
            table[start] = table[start] if start == verb else _list_words(command)
            table |= _list_choices(start, command)
    return table


def _list_words(command: Command | None) -> list[str]:
    return [flag.name for flag in command.flags] if command else ["--help"]


def _list_choices(start: str, command: Command) -> dict[str, list[str]]:
    """Return the values of each flag that has a fixed set; none for one that takes free text."""
    return {f"{start} {flag.name}": list(flag.choices) for flag in command.flags if flag.kind != SWITCH}


def render(shell: str) -> str:
    """Return the script for one shell."""
    return _RENDER[shell](list_completions())


def _cases(table: Mapping[str, list[str]]) -> str:
    return "\n".join(f"    {quote(start)}) offered={quote(' '.join(words))} ;;" for start, words in table.items())


_FIND_WORDS = """\
  local start="" word last="" offered=""
  for word in "${typed[@]}"; do
    last=$word
    case $word in -*) continue ;; esac
    if _ultrawork_words "${start:+$start }$word"; then start="${start:+$start }$word"; fi
  done
  case $last in
    -*) _ultrawork_words "$start $last" && start="$start $last" ;;
  esac
  _ultrawork_words "$start"
"""

_LOOKUP = """\
_ultrawork_words() {
  case $1 in
%s
    *) return 1 ;;
  esac
}
"""


def _render_bash(table: Mapping[str, list[str]]) -> str:
    return f"""\
# bash completions of ultrawork; load them with: source <(ultrawork completions bash)
{_LOOKUP % _cases(table)}
_ultrawork() {{
  local typed=("${{COMP_WORDS[@]:1:COMP_CWORD-1}}")
{_FIND_WORDS}  COMPREPLY=($(compgen -W "$offered" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _ultrawork {" ".join(PROGRAMS)}
"""


def _render_zsh(table: Mapping[str, list[str]]) -> str:
    return f"""\
#compdef {" ".join(PROGRAMS)}
# zsh completions of ultrawork; load them with: source <(ultrawork completions zsh)
{_LOOKUP % _cases(table)}
_ultrawork() {{
  local typed=("${{(@)words[2,CURRENT-1]}}")
  _ultrawork_offer
}}
_ultrawork_offer() {{
{_FIND_WORDS}  compadd -- ${{=offered}} || _files
}}
compdef _ultrawork {" ".join(PROGRAMS)}
"""


def _render_fish(table: Mapping[str, list[str]]) -> str:
    """Return the fish completions: one rule per prefix, chosen by the words so far."""
    rules = []
    for start, words in table.items():
        test, offered = quote(f"__ultrawork_at {quote(start)}"), quote(" ".join(words))
        rules += [f"    complete -c $program -n {test} -a {offered}"] if words else []
    known = " ".join(quote(start) for start in table)
    return f"""\
# fish completions of ultrawork; load them with: ultrawork completions fish | source
function __ultrawork_at
    set -l start ""
    set -l last ""
    set -l typed (commandline -opc)
    set -e typed[1]
    for word in $typed
        set last $word
        string match -q -- "-*" $word; and continue
        set -l longer (string trim -- "$start $word")
        contains -- "$longer" {known}; and set start $longer
    end
    string match -q -- "-*" $last; and contains -- "$start $last" {known}; and set start "$start $last"
    test "$start" = "$argv[1]"
end
for program in {" ".join(PROGRAMS)}
{chr(10).join(rules)}
end
"""


_RENDER = {"bash": _render_bash, "zsh": _render_zsh, "fish": _render_fish}
SHELLS = tuple(_RENDER)
