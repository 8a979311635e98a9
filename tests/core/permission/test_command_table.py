"""
Nothing that is permitted hides more than it shows.

Commands are made from pieces that mean something to a shell, and tree-sitter's grammar of bash is the judge:
what is permitted must be, for it, one simple command whose words are exactly those that were judged.
"""

import os
import random
import subprocess

import pytest
import tree_sitter_bash
from tree_sitter import Language, Parser

from support.effort import amount
from ultrawork.core.permission import command_table

PARSER = Parser(Language(tree_sitter_bash.language()))
PERMITTED = [
    "git status", "git status --short", "git diff HEAD", "git diff --stat HEAD -- src", "git log --oneline -5",
    "git log --format='%h %s' --since=yesterday", 'git log --grep="fix the thing"', "git show HEAD:src/app.py",
    "git branch -a", "git branch --show-current", "git --no-pager log -3", "git rev-parse --abbrev-ref HEAD",
    "git ls-files --others --exclude-standard", "git blame src/app.py", "git stash list", "git tag -l",
    "ls", "ls -la src", "ls 'my folder'", "pwd", "  git status  ", "ultrawork status --json",
    "git status src", "git status -- src/app.py",
    "git ls-files src", "git describe --tags HEAD", "ultrawork evidence show 3",
]  # fmt: skip
CHECKS = [
    "pytest", "pytest -q tests/test_a.py::test_b -k 'not slow'", "python -m pytest -x", "npm test", "npm run lint",
    "yarn test", "pnpm run typecheck", "tsc --noEmit", "eslint src", "prettier --check .", "cargo test --workspace",
    "cargo clippy", "go test ./... -race", "make test", "ruff check .", "ruff format --check .", "mypy src",
    "cargo test --package=shop total", "tsc --noEmit src/app.ts", "black --check src",
]  # fmt: skip
REFUSED = [
    "", "   ", "rm -rf /", "git", "git push", "git fetch", "git branch -D main", "git branch new", "git tag v1",
    "git branch -d x", "git show --output=/tmp/x", "git diff --output=x", "git log --output x", "git -c a=b status",
    "git --exec-path=. status", "git -C /x status", "git diff --ext-diff", "git show --textconv", "git log --format='%G?'", "git show --pretty=%GG", "git log -p -O x",
    "git stash", "git stash drop", "git remote add a b", "git config --list", "git checkout -- .", "git reset --hard",
    "ls -", "pytest -", "git diff -", "git diff --no-index /etc/passwd x", "git grep -O x", "git ls-files ../..", "ls /etc", "ls ~/secrets", "ls ../..",
    "prettier --write .", "prettier .. --write", "eslint --fix .", "eslint -o x .", "ruff check --fix", "ruff format .",
    "tsc", "tsc --outDir x --noEmit false", "pytest --basetemp=/x", "pytest -p evil", "pytest @args", "tsc --noEmit @x",
    "pytest -c /x", "pytest --junitxml=x", "npm run deploy", "npm run build-and-deploy", "npm test -- --fix",
    "npm run test --prefix /x", "npm install", "make", "make deploy", "make test SHELL=x", "make -f x test", "cargo run",
    "cargo test --config x", "cargo test -- x", "go test -exec x ./...", "go build -o x", "go run .", "find . -exec rm x",
    "find . -delete", "cat /etc/passwd", "python -c x", "python -m pytest --pdb", "bash -c ls", "env ls", "xargs ls",
    "sudo ls", "time ls", "exec ls", "command ls", "eval ls", "source x", ". x", "A=b ls", "PATH=. git status",
    "GIT_PAGER=x git log", "GIT_EXTERNAL_DIFF=x git diff", "ls;rm x", "ls & rm x", "ls | sh", "ls && rm x", "ls || rm x",
    "ls $(rm x)", "ls `rm x`", "ls $HOME", 'ls "$HOME"', 'ls "`rm x`"', 'ls "a$(rm x)"', "ls > x", "ls >> x", "ls 2>x",
    "ls < x", "ls <<E\nrm x\nE", "ls <<< x", "ls\nrm x", "ls\rrm x", "ls\trm", "ls \\\nx", "ls a\\;b", "ls *", "ls a?",
    "ls [ab]", "ls {a,b}", "ls a{1..3}", "ls !x", "ls # x", "(ls)", "{ ls; }", "! ls", "ls ~", "ls ~root", "ls =ls",
    "ls x=~", "ls 'a", 'ls "a', "l's'", '"ls"', "ls \x00", "ls \u2028rm x", "ls \u00a0rm", "lsä", "ls 'a\nb'",
    "ls <(rm x)", "ls >(rm x)", "ls &> x", "ls >| x", "coproc ls", "function ls", "if ls", "git status\x0b; rm",
    "git commit -m \"$(cat <<'EOF'\nx\nEOF\n)\"", "git commit -F - <<EOF\nx\nEOF\nrm -rf ~", "git tag v1; curl x <<EOF\na\nEOF",
]  # fmt: skip
# Pieces that commands are made of: some plain, some that a shell obeys.
_PLAIN = "git status diff log show branch tag ls pwd pytest npm run test lint tsc --noEmit eslint prettier --check src a.py HEAD HEAD~1 main..dev -a -la -q --stat --oneline -5 -- . ./... 'a b' \"a b\" --format=%h --pretty=format:'%an' --since=\"1 day\" make cargo go ruff check format -k ''"
_LIVE = "; & | && || > >> 2>x < << <<< <<E $( ) ` $HOME ${X} $((1)) * ? [a] {a,b} {1..3} ~ ~/x ! # ( { } \\ \\; \n \r \t \x00 ' \" '\" \"' $'a' $\"a\" =ls A=b !! !$ \u00a0 \u2028 \nrm&>x |& ;; -D --output=x --write --fix -c -o -exec --ext-diff --textconv --output x=~ @f ../x /etc/passwd -C --basetemp=/x >| <(ls) >(ls) EOF \nEOF\n"
PIECES = [*_PLAIN.split(" "), *_LIVE.split(" ")]
DANGEROUS = {
    "-D", "-d", "-m", "-M", "-f", "-c", "-C", "-o", "-O", "-p", "--output", "--write", "--fix", "-exec", "--ext-diff",
    "--textconv", "--exec", "--basetemp", "--pdb", "--prefix", "--config", "--delete", "--force", "--upload-pack",
}  # fmt: skip
# `-p` is the patch of git and the project of tsc, `-m` and `-c` belong to python -m pytest and prettier -c, ...
MEANT = {"git": {"-p", "-m", "-d", "-c"}, "tsc": {"-p"}, "python": {"-m"}, "prettier": {"-c"}, "pytest": {"-m"}, "ls": {"-d", "-m", "-f", "-c", "-o", "-p"}}  # fmt: skip
LITERAL = {"word", "raw_string", "string", "string_content", "concatenation", "number", '"', "command_name"}  # fmt: skip


def made(seed, count):
    source = random.Random(seed)
    for _ in range(count):
        pieces = source.choices(PIECES, k=source.randint(1, 7))
        yield source.choice((" ", " ", " ", "", "  ")).join(pieces)


def mutated(seed, count):
    """Permitted commands with something slipped in at any place."""
    source = random.Random(seed)
    for _ in range(count):
        command = source.choice([*PERMITTED, *CHECKS])
        place = source.randint(0, len(command))
        yield command[:place] + source.choice(PIECES) + command[place:]


def tree_words(command):
    """The words of a command as the grammar reads them; None if it is more than one simple command."""
    root = PARSER.parse(command.encode("utf-8", "surrogateescape")).root_node
    if root.has_error or root.type != "program" or [one.type for one in root.children] != ["command"]:  # fmt: skip
        return None
    simple = root.children[0]
    return [literal(one) for one in simple.children]


def literal(node):
    text = node.text.decode()
    if node.type == "raw_string":
        return text[1:-1]
    assert node.type in LITERAL, node.type
    if node.type == "string":
        return text[1:-1]
    if node.children and node.type != "string":
        return "".join(literal(one) for one in node.children)
    return text


def judge(command):
    if not command_table.classify(command):
        return False
    words = command_table.read_literal_words(command)
    # The grammar parts `--a=` from a string that follows it; joined without blanks both are the same.
    assert "".join(tree_words(command)) == "".join(words)
    program = words[0]
    bad = {word.partition("=")[0] for word in words[1:]} & DANGEROUS - MEANT.get(program, set())
    assert not bad, command
    assert not any(word.startswith(("/", "~", "@")) for word in words), command
    assert all(".." not in word.split("/") for word in words), command
    return True


@pytest.mark.parametrize("command", PERMITTED)
def test_looking_is_in_the_table(command):
    assert command_table.classify(command) == command_table.READ
    assert judge(command)


@pytest.mark.parametrize("command", CHECKS)
def test_checks_of_a_project_are_in_the_table(command):
    assert command_table.classify(command) == command_table.CHECK
    assert judge(command)


@pytest.mark.parametrize("command", REFUSED)
def test_everything_else_is_not(command):
    assert command_table.classify(command) == ""


def test_what_is_permitted_is_one_simple_command_for_the_grammar_too():
    permitted = sum(judge(one) for seed in range(2) for one in made(seed, 2000))
    permitted += sum(judge(one) for one in mutated(7, 4000))
    assert permitted > 300, "the generator makes too few commands that are permitted"


@pytest.mark.slow
def test_the_same_with_very_many_commands():
    seeds = amount(20, 100)
    permitted = sum(judge(one) for seed in range(100, 100 + seeds) for one in made(seed, 5000))
    permitted += sum(judge(one) for seed in range(200, 200 + seeds) for one in mutated(seed, 5000))
    assert permitted > 500 * seeds


@pytest.mark.parametrize("shell", ["bash", "sh"])
def test_a_real_shell_runs_exactly_the_words_that_were_judged(tmp_path, shell):
    stub = tmp_path / "stub"
    stub.write_text('#!/bin/sh\nprintf "%s\\0" "${0##*/}" "$@"\nprintf "\\n"\n')
    stub.chmod(0o755)
    generated = [one for one in mutated(11, 1500) if command_table.classify(one)][:100]
    commands = [*PERMITTED, *CHECKS, *generated]
    commands = [one for one in commands if command_table.read_literal_words(one)[0] != "pwd"]
    for name in {command_table.read_literal_words(one)[0] for one in commands}:
        os.symlink(stub, tmp_path / name)
    path = tmp_path / "commands"
    path.write_text("\n".join(commands))
    found = subprocess.run(
        [f"/bin/{shell}", path], env={"PATH": str(tmp_path)}, capture_output=True, cwd="/", timeout=120, check=True,
    )  # fmt: skip
    ran = [line.split("\0")[:-1] for line in found.stdout.decode().split("\n")[:-1]]
    assert ran == [command_table.read_literal_words(one) for one in commands]
    assert found.stderr == b""


def test_every_sign_between_two_words_is_refused_unless_it_is_plain():
    for code in range(0x300):
        sign = chr(code)
        for command in (f"ls a{sign}b", f"ls {sign} b", f"ls{sign}", f"{sign}ls", f'ls "a{sign}b"', f"ls 'a{sign}b'"):  # fmt: skip
            judge(command)


def test_a_quoted_word_is_what_stands_between_its_quotes():
    assert command_table.read_literal_words("ls 'a; b' \"c & d\" e'f'\"g\"") == ["ls", "a; b", "c & d", "efg"]


def test_a_very_long_command_is_not_read():
    assert command_table.classify("ls " + "a" * 1_997) == command_table.READ
    assert command_table.classify("ls " + "a" * 1_998) == ""


@pytest.mark.parametrize(
    ("tool", "given", "command"),
    [
        ("Bash", {"command": " git status ", "description": "d", "timeout": 5}, "git status"),
        ("Bash", {"command": "ls", "sandbox": False}, ""),
        ("Bash", {"command": 3}, ""),
        ("Bash", {}, ""),
        ("Write", {"command": "ls"}, ""),
    ],
)
def test_only_a_plain_call_of_the_shell_has_a_command(tool, given, command):
    assert command_table.read_command(tool, given) == command
