"""Completions come from the table of verbs and work in a real shell."""

import shutil
import subprocess

import pytest

from ultrawork.cli.completions import list_completions

ASK = """
ask() { COMP_WORDS=(ulw "$@"); COMP_CWORD=$#; _ultrawork; echo "${COMPREPLY[*]}"; }
"""


def run_shell(program, shell, script):
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")
    given = program.done("completions", shell).out + script
    return subprocess.run(
        [found, "-s"], input=given, capture_output=True, text=True, timeout=60, check=True
    ).stdout.splitlines()


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["ga"], ["gates"]),
        (["gates", ""], ["list", "allow", "deny", "draft", "explain", "try", "prepare", "--json", "--help"]),
        (["gates", "allow", "--"], ["--json", "--help"]),
        (["run", "--merge", ""], ["concat", "summarize", "vote"]),
        (["--json", "session", "li"], ["list"]),
        (["off", "--se"], ["--session"]),
        (["run", "--backend", ""], []),
        (["nothing", "known"], []),
    ],
)
def test_bash_offers_what_may_follow(program, typed, offered):
    words = " ".join(f"'{word}'" for word in typed)
    assert run_shell(program, "bash", f"{ASK}ask {words}\n")[-1].split() == offered


def test_bash_binds_both_names_of_the_program(program):
    shown = run_shell(program, "bash", "complete -p ultrawork ulw\n")
    assert [line.split()[-1] for line in shown] == ["ultrawork", "ulw"]


def test_zsh_loads_its_script(program):
    script = '\nautoload -Uz compinit; compinit -D; _ultrawork_words gates; echo "$offered"\n'
    assert "allow" in run_shell(program, "zsh", script)[-1].split()


def test_fish_offers_what_may_follow(program):
    shown = run_shell(program, "fish", "\ncomplete -C 'ultrawork gates al'\n")
    assert [line.split()[0] for line in shown] == ["allow"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_script_names_every_command(program, shell):
    script = program.done("completions", shell).out
    assert [start for start in list_completions() if f"{start}" not in script] == []


@pytest.mark.parametrize("words", [[], ["tcsh"], ["bash", "zsh"]])
def test_any_other_shell_is_refused_with_the_known_ones(program, words):
    answer = program.call("completions", *words)
    assert answer.status == 2
    assert "bash" in answer.err
