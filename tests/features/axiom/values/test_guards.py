"""What is ahead of its gate, by whichever tool and however it is spelled; and what honest work does all day."""

import time

import pytest

from ultrawork.core.permission import shell_lines
from ultrawork.features.axiom.values import guards, states

WRITES = {
    "echo right > a.txt": ["a.txt"],
    "sed -i s/x/y/ a.txt": ["a.txt"],
    "cp /tmp/x a.txt": ["a.txt"],
    "rm -f src/a.py src/b.py": ["src/a.py", "src/b.py"],
    "dd if=/tmp/x of=a.txt": ["a.txt"],
    "ls\ncat <<'EOF' > a.py\nx = 1\nEOF": ["a.py"],
    "bash -c 'echo x > a.py'": ["a.py"],
    'echo "$(echo x > a.py)"': ["a.py"],
    "cd src && echo x > a.py": ["a.py"],
    "env X=1 timeout 5 tee -a a.py": ["a.py"],
    "python3 -c \"open('a.py', 'w').write('x')\"": ["."],
    "python3 - <<'EOF'\nfrom pathlib import Path\nPath('a.py').write_text('x')\nEOF": ["."],
    "node -e \"fs.writeFileSync('a.js', '')\"": ["."],
    "patch -p1 < /tmp/x.diff": ["."],
    'python3 -c "\nprint(1)\n" > a.txt': ["a.txt"],
    "echo '1 << x'\necho x > a.py": ["a.py"],
    "echo $((1 << 3))\necho x > a.py": ["a.py"],
    "echo a#b > a.py": ["a.py"],
    "echo [[ > a.py": ["a.py"],
    "((echo x > a.py); ls)": ["a.py"],
    "[[ -f b ]] > a.py": ["a.py"],
    "cat <<\\EOF > a.py\nrm b\nEOF": ["a.py"],
}
HARMLESS = (
    "make test > /tmp/log 2>&1", "grep -rn 'a > b' src", "grep '>' a.txt", "ls 2> err | wc -l", "python3 -c 'print(open(\"a\").read())'",
    "cd /tmp && echo x > note", "git diff > /dev/null", "cat <<EOF\nrm -rf src > gone\nEOF", "sed -n 1,5p a.py",
    "[[ $a > b || c > d ]] && ls", "if [[ a < b ]]; then ls; fi", "while (( a > 3 )); do ls; done", "[ a \\> b ]",
    "for ((i=9; i > 0; i--)); do ls; done", "ls # it's > a.py", "ls # don't\n[[ a > b ]]", "cat <<'END-OF'\nrm a > b\nEND-OF",
    "python3 -m pytest -q", "echo 'mv a b'", "cat a.py && git log --oneline", "",
)  # fmt: skip


@pytest.mark.parametrize("command", WRITES)
def test_what_a_command_plainly_writes_is_seen(command):
    assert shell_lines.list_written(command) == WRITES[command]


@pytest.mark.parametrize("command", HARMLESS)
def test_what_writes_nothing_here_is_left_alone(command):
    assert [path for path in shell_lines.list_written(command) if not path.startswith("/")] == []
    assert guards.find_shut_gate(states.PLANNING, "Bash", [], command) == ""


@pytest.mark.parametrize(
    "command",
    [
        "git push",
        "cd x && git -C . push --force",
        "bash -c 'git push'",
        "git -c alias.p=push p",
        "/usr/bin/git 'push'",
        "env GIT_DIR=.git git send-pack origin",
        "gh pr create --fill",
        "x=$(git push)",
        "gh release create v1",
    ],
)
@pytest.mark.parametrize("state", [states.PLANNING, states.EXECUTING, states.BLOCKED, states.ARCHIVING])
def test_delivery_waits_for_the_ci_gate_however_it_is_spelled(state, command):
    assert states.CI in guards.find_shut_gate(state, "Bash", [], command)
    assert guards.find_shut_gate(states.IDLE, "Bash", [], command) == ""


@pytest.mark.parametrize("command", ["git apply x.patch", "git am < x", "git commit -am x"])
def test_files_are_not_changed_by_git_before_the_gates(command):
    assert states.USER in guards.find_shut_gate(states.CONFIRMING, "Bash", [], command)
    assert guards.find_shut_gate(states.EXECUTING, "Bash", [], command) == ""


@pytest.mark.parametrize("command", ["ultrawork cancel", "ulw off", "sh -c 'bin/ultrawork cancel'"])
def test_an_agent_does_not_end_a_requirement(command):
    """Whoever could end it could work without its gates."""
    assert "only the user" in guards.find_shut_gate(states.PLANNING, "Bash", [], command)
    assert guards.find_shut_gate(states.PLANNING, "Bash", [], "ultrawork next --json") == ""


PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        (f"apply_patch <<'EOF'\n{PATCH}\nEOF", ""),
        (f'applypatch <<"END"\n{PATCH}\nEND\n', ""),
        (f"cd src && apply_patch << EOF\n{PATCH}\nEOF", "src"),
    ],
)
def test_a_line_that_codex_reads_as_a_patch_is_one(line, folder):
    assert shell_lines.find_patch(line) == (PATCH, folder)


@pytest.mark.parametrize(
    "line", ["make test", f"apply_patch <<'EOF'\n{PATCH}\nEOF\nmake test", "cat apply_patch <<E\nE"]
)
def test_a_line_that_a_shell_runs_is_none(line):
    assert shell_lines.find_patch(line) == ("", "")


def test_a_patch_of_many_blank_lines_keeps_no_hook_busy():
    """Read in a time that grows with their square, it outlives its hook, and the call goes unguarded."""
    text = PATCH + "\n" * 30_000
    began = time.process_time()
    assert shell_lines.find_patch(f"apply_patch <<'EOF'\n{text}\nEOF") == (text, "")
    assert shell_lines.find_patch(f"apply_patch <<'EOF'\n{text}\nNO") == ("", "")
    assert time.process_time() - began < 1


@pytest.mark.parametrize("last", ['"', ""])
def test_a_quotation_of_many_lines_keeps_no_hook_busy(last):
    """Read anew with each of its lines, a program of a thousand would outlive its hook."""
    code = "\n".join(f"value_{number} = 'some words'" for number in range(3000))
    began = time.process_time()
    assert shell_lines.list_written(f'python3 -c "\n{code}\n{last} > out.txt') == ["out.txt"]
    assert time.process_time() - began < 2


def test_a_patch_and_code_that_a_server_runs_name_what_they_write():
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n*** Add File: b.py\n*** End Patch"
    assert guards.list_named_files("apply_patch", {"command": patch}) == ["a.py", "b.py"]
    code = {"code": "open('a.py', 'w').write('x')"}
    assert guards.list_named_files("mcp__plugin_ultrawork_t__python_repl", code) == ["."]
    assert guards.is_writer("mcp__fs__write_file")
    assert not guards.is_writer("mcp__fs__read_file")
    assert not guards.is_writer("Read")
