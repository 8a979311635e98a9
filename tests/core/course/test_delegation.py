"""Which file the main agent of a planned session edits by its shell, and what it runs all day without editing one."""

import pytest

from ultrawork.core.course import roles

EDITS = {
    "echo x > a.py": "a.py",
    "make | tee -a log.txt | grep x": "log.txt",
    "sed --in-place s/a/b/ a.py": "a.py",
    "cat > a.py <<'EOF'\ndon't > x\nEOF": "a.py",
    "ls\necho x > a.py": "a.py",
    "bash -c 'echo x > a.py'": "a.py",
    "echo x > 'a b.py'": "a b.py",
    "echo 'x'>'a.py' '>' b": "a.py",
}
HONEST = (
    "git commit -m 'Mend it\n\na > b, and this\n'", 'git commit -m "a > b"', 'python3 -c "\nif a > b:\n    print(1)\n"',
    "python3 - <<'EOF'\nif a > b: print('it')\nEOF", "make test > /tmp/log 2>&1", "ls 2> err", "cd src && make > log",
    "gh pr create --body \"$(cat <<'EOF'\n- a > b, it's\nEOF\n)\"", "awk '$1 > 2' f", 'make > "$LOG"', "echo don't > a",
    "rm -rf build && cp a b", "python3 -c \"open('a.py', 'w')\"", "echo done # don't > a", "",
)  # fmt: skip


@pytest.mark.parametrize("command", EDITS)
def test_what_a_command_edits_is_seen(command):
    assert roles.find_shell_target(command) == EDITS[command]


@pytest.mark.parametrize("command", HONEST)
def test_what_edits_nothing_of_the_project_is_left_alone(command):
    assert roles.find_shell_target(command) == ""
