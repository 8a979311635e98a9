"""The texts shown when `ulw` turns a session on: the user's line, and the model's block."""

from collections.abc import Mapping, Sequence

from ..verdict.gate import Gate
from ..wording import NO_GATE, WIDTH, cut, cut_bytes, join_lines

_LOOP = """\
1. Explore. Unless the place is obvious, start 2-5 read-only helpers in parallel, one question each.
   For external documentation use one foreground reader: background helpers have no MCP tools.
2. Pick 1-3 small changes. For each, name the check that will show it works.
3. Make them. If a plan is active, record progress.
4. Run `ultrawork verify`. Fix what fails and run it again.
5. Stop when it passes, and say what you changed.
If you cannot finish, or if a test itself is wrong, say so: end with a line `BLOCKED: why`
(or `BLOCKED: test NAME is wrong: why`). That is a good outcome. Changing a test to make it pass is not.
Tests and check settings are compared with the start. Change them only where the goal asks for it."""
_GOAL = 300
_ON = "ultrawork: on. Done means these pass: "
_ON_ONE = "ultrawork: on. Done means this passes: "
_OFF = ". Turn off: ulw off"
_OPT_OUT = "To opt out: ulw gates deny"


def tell_on(gates: Sequence[Gate], lacking: Mapping[str, str] | None = None) -> str:
    """Return the user's line when it is turned on, with as many commands as fit. `lacking`: the program that is not
    installed, by the name of its check; such a check decides nothing."""
    if not gates:
        return NO_GATE
    lacking = lacking or {}
    cannot = ", ".join(f"{name} ({program} is not installed)" for name, program in lacking.items())
    last = cut(f"\n  Cannot run: {cannot}", WIDTH + 1) if cannot else ""
    gates = [gate for gate in gates if gate.name not in lacking] or gates
    start, room = _ON if gates[1:] else _ON_ONE, WIDTH - len(_OFF)
    commands = [f"`{join_lines(gate.label)}`" for gate in gates]
    named = ", ".join(commands)
    if len(start) + len(named) > room:
        named = ", ".join([commands[0], *(join_lines(gate.name) for gate in gates[1:])])
    return cut(f"{start}{named}", room) + _OFF + last


def tell_reading_goal() -> str:
    """Return the line where the goal only asks for an answer: nothing runs unless a file changes."""
    return "ultrawork: on. No check runs unless a file changes" + _OFF


def tell_continued(goal: str) -> str:
    """Return the user's line about the request that this one continues."""
    return "\n  " + cut(join_lines(goal), WIDTH - 2)


def instruct_continued(goal: str) -> str:
    """Explain to the model why its files are compared with an older state."""
    return (
        f"\n{cut_bytes(join_lines(goal), _GOAL)}"
        "\nFiles that an earlier request left unverified are compared with their state before that request."
    )


def name_commands(commands: Sequence[str], *, asks: bool = False) -> str:
    """List what will run without a further question, for a user who has not seen that in this checkout, and how to opt
    out; `asks`: the goal only asks. One line if it fits, else one per command: what is consented to is never
    truncated."""
    listed = [join_lines(command) for command in commands]
    start = "If one changes, I run" if asks else "I run"
    whole = f"  {start} {', '.join(listed)} myself. {_OPT_OUT}"
    if len(whole) <= WIDTH:
        return whole
    return "\n".join([f"  {start} these myself:", *(f"    {command}" for command in listed), f"  {_OPT_OUT}"])


def name_large(files: Mapping[str, int]) -> str:
    """Name untracked files that are compared by size and time alone, and how to exclude them."""
    largest = min(files, key=lambda path: (-files[path], path))
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    size = f"{files[largest] / (1 << 30):.1f} GiB" if files[largest] >= 1 << 30 else f"{files[largest] >> 20} MiB"
    end = f" ({size}){more} by size and time only."
    named = f"  I compare {cut(join_lines(largest), WIDTH - 12 - len(end))}{end}"
    cure = f"To leave {'them' if more else 'it'} out, add {'them' if more else 'it'} to .gitignore"
    joint = " " if len(named) + 1 + len(cure) <= WIDTH else "\n  "
    return named + joint + cure


def write_instruction(goal: str, gates: Sequence[Gate], program: str = "ultrawork") -> str:
    """Return the block that the model gets once; `program` is the command that its shell can run."""
    checks = "    ".join(f"{gate.name}: {gate.command}" for gate in gates)
    decided = (
        f"When you stop, ultrawork runs these checks itself, on the files as they are:\n  {cut_bytes(checks, 360)}"
        if gates
        else "ultrawork found no checks in this project. Say what you ran and what it showed."
    )
    loop = _LOOP.replace("`ultrawork verify`", f"`{program} verify`")
    return f"ultrawork is on. Goal: {cut_bytes(join_lines(goal), _GOAL)}\n{decided}\n{loop}"
