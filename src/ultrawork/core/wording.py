"""What ultrawork says at each moment. Plain sentences, at most 100 columns, each with the next step."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

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
ulw gates            the checks that decide; allow or deny behind it: whether I run them myself
ulw verify           run the checks now
ulw evidence         receipts and the last verdict
ulw accept REASON    take the open findings as they are"""


def tell_goal(goal: str) -> str:
    return cut(f"ultrawork: still on; the goal now also says: {join_lines(goal)}", WIDTH)


def tell_not_on(why: str) -> str:
    return cut(f"ultrawork: not on. {why}", 2 * WIDTH)


def tell_personal(word: str) -> str:
    return f"ultrawork: only a person says ulw {word}; this client was started by an agent."


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
