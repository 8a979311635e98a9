"""What ultrawork says at each moment. Plain sentences, at most 100 columns, each with the next step."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .verdict.gate import Gate

WIDTH = 100
READY = "ultrawork is ready. Begin a request with ulw; switch it off with ulw off."
NOT_ON = "ultrawork: it was not on. On: begin a request with ulw."
FORK = "ultrawork: a fork starts switched off. On: begin a request with ulw."
NO_GOAL = "ultrawork: not on. Say what to do, for example: ulw fix the login bug"
STILL_ON = "ultrawork: still on, with the goal as it was. Show: ulw status"
NO_GATE = "ultrawork: on, but this project has no check I know. Add one: ulw gates"
HELP = """ulw and what to do   work until the project's checks are green, or say plainly that they are not
ulw off              stop insisting; files stay as they are
ulw why              the last decision, its reason, what would change it
ulw status           what is on, which gates, how many refusals
ulw gates            the checks that decide; ulw gates allow lets me run them myself
ulw verify           run the checks now
ulw evidence         receipts and the last verdict
ulw accept REASON    take the open findings as they are"""
_LOOP = """\
1. Explore: unless the place is obvious, start 2-5 read-only helpers in parallel, one question each.
2. Choose 1-3 small changes; for each, name the check that will show it.
3. Make them. If a plan is active, record progress.
4. Run `ultrawork verify`. Mend what is red; run it again.
5. Stop when it is green and say what you changed. If you cannot get there, run it once more and end
   with a line `BLOCKED: why`. That is accepted. A claim that the checks contradict is not.
Tests and check definitions are compared with the start: change them only where the goal asks for it."""
_GOAL = 300


def tell_on(gates: "Sequence[Gate]") -> str:
    """The person's line when it is switched on."""
    if not gates:
        return NO_GATE
    names = [f"{gates[0].name} ({gates[0].command})", *(gate.name for gate in gates[1:])]
    return (
        cut(f"ultrawork: on. Done means green: {', '.join(names)}", WIDTH - 14) + ". Off: ulw off"
    )


def tell_goal(goal: str) -> str:
    return cut(f"ultrawork: still on; the goal now also says: {join_lines(goal)}", WIDTH)


def write_instruction(goal: str, gates: "Sequence[Gate]", program: str = "ultrawork") -> str:
    """The model's block, once; `program` is how its shell can call us."""
    checks = "    ".join(f"{gate.name}: {gate.command}" for gate in gates)
    decided = (
        "Whether it is done is decided by checks that ultrawork runs itself, on the files as they are"
        f" when you stop:\n  {cut_bytes(checks, 380)}"
        if gates
        else "This project has no check that ultrawork knows; say what you ran and what it showed."
    )
    loop = _LOOP.replace("`ultrawork verify`", f"`{program} verify`")
    return f"ultrawork is on. Goal: {cut_bytes(join_lines(goal), _GOAL)}\n{decided}\n{loop}"


def tell_not_on(why: str) -> str:
    return cut(f"ultrawork: not on. {why}", 2 * WIDTH)


def tell_background(names: "Sequence[str]", about: str) -> str:
    """The stop passed; the checks run on."""
    return cut(
        f"ultrawork: checking {', '.join(names)} in the background{about}. You hear of it if it is red.",
        WIDTH,
    )


def tell_moved(verdict: str) -> str:
    return f"ultrawork: files changed since {verdict}, not checked. Check again: ulw verify"


def tell_off(changed: int | None) -> str:
    files = f"{changed} file{'' if changed == 1 else 's'} changed, nothing verified."
    known = "Nothing verified." if changed is None else files
    return f"ultrawork: off for this session. {known}\n  On again: begin a request with ulw."


def cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def cut_bytes(text: str, size: int) -> str:
    """The same for what is bounded in bytes."""
    data = text.encode("utf-8", "replace")
    return text if len(data) <= size else data[: size - 3].decode("utf-8", "ignore").rstrip() + "…"


def join_lines(text: str) -> str:
    return " ".join(text.split())
