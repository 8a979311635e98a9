"""The texts of a swarm: for the leader, for workers, about a task and its result."""

from collections.abc import Mapping, Sequence

from ....core.wording import WIDTH, count_things, cut, cut_bytes, join_lines
from .tasks import MOST_TRIES, SwarmTask

AGENT_TYPES = ("ultrawork:worker", "worker")
AGENT = '- subagent_type "ultrawork:worker" prompt "Work in the swarm."'
_TEXT = 3000
_GOAL = 300
_THEN = "Do this one task, then end your turn. If you cannot, end with BLOCKED: why."


def brief_leader(goal: str, agents: int, gates: str, program: str, left: int) -> str:
    """Return the leader's block, once; `left` are open tasks from before."""
    kept = f"{format_open(left)} from earlier; `{program} swarm status` lists them.\n" if left else ""
    return f"""ultrawork swarm is on, and you lead it. Goal: {cut_bytes(join_lines(goal), _GOAL)}
{kept}Agents claim tasks from one list. A task is done only when ultrawork has run its check and it passes.
1. Split the goal into small independent tasks. Add each one in your shell:
   {program} swarm add "subject" --description "everything a worker without context needs" --check "command" \\
     --needs ID,ID --files a.py,b.py --priority N
   The command prints the id of the task. Two running tasks never own the same file.
2. Then call Agent {agents} times in one message, all with the same input:
   {AGENT}
   They receive their tasks automatically, one after another. Other sessions: /ultrawork:swarm join
3. End your turn while they work. You are called with what remains; do not do their tasks yourself.
4. When all tasks are settled, fix what does not fit together. The project's own checks decide:
   {gates or "(no checks found here)"}
If you cannot finish, end with a line `BLOCKED: why`."""


def send_leader_back(open_: int, agents: int) -> str:
    """Return the refusal for a leader: there are tasks, and no one works."""
    calls = min(agents, open_)
    return (
        f"ultrawork: {format_open(open_, ' in the swarm')} and no agent is working.\n"
        f"Next: call Agent {count_things(calls, 'time')} in one message, each with\n"
        f"  {AGENT}\nthen end your turn. If it cannot be done, end with BLOCKED: why."
    )


def tell_empty(program: str) -> str:
    return (
        "ultrawork: the swarm has no task yet.\n"
        f'Next: add them with `{program} swarm add "subject" --check "command"`, then start the agents.'
    )


def brief_worker(goal: str) -> str:
    return (
        f"ultrawork swarm: you are a worker. Shared goal: {cut_bytes(join_lines(goal), _GOAL)}\n"
        "You get one task after another: do it, then end your turn. ultrawork runs its check and gives"
        " you the next.\nOther agents work in the same checkout: stay within the files of your task."
    )


def tell_no_task(counts: Mapping[str, int]) -> str:
    return f"No task is ready for you now ({format_tally(counts)}). End your turn; you are called when one is."


def describe_task(task: SwarmTask, counts: Mapping[str, int], then: str = _THEN) -> str:
    """Return a task as its worker reads it."""
    lines = [
        f"ultrawork: task {task.id} in the swarm is yours (lease {task.token}; {format_tally(counts)}).",
        f"TASK_ID: {task.id}",
        f"TASK: {task.subject}",
        *_description(task),
        *([f"FILES: {', '.join(task.files)}"] if task.files else []),
        f"SUCCESS CRITERIA: {task.check or 'the checks of the project decide at the end'}",
        *_before(task),
    ]
    return "\n".join([*lines, then])


def _before(task: SwarmTask) -> list[str]:
    if not task.tries or not task.reason:
        return []
    return [f"FAILED BEFORE ({task.tries} of {MOST_TRIES} tries), most recently: {task.reason}"]


def _description(task: SwarmTask) -> list[str]:
    short = cut_bytes(task.description, _TEXT)
    rest = [f"(full text: ultrawork swarm status {task.id})"]
    return [short, *(rest if short != task.description else [])] if short else []


def describe_verbs(task: SwarmTask) -> str:
    """Return how to continue after claiming it with the verb."""
    words = f"{task.id} --token {task.token}"
    return f'Then: ultrawork swarm done {words}    or: ultrawork swarm fail {words} --reason "why"'


def ask_for_check(task: SwarmTask, program: str) -> str:
    return (
        f"ultrawork: the check of task {task.id} has not run, and ultrawork may not start it itself.\n"
        f"Next: run `{program} swarm done {task.id} --token {task.token}`, then end your turn."
    )


def describe_outcome(task: SwarmTask) -> str:
    """Return what happened to the task that a worker just ended."""
    if task.status == "done":
        return f"Task {task.id} is done{f' ({task.proof})' if task.proof else ''}."
    gone = "It has failed for good." if task.status == "failed" else "It went back to the list."
    return f"Task {task.id} is not done: {cut(join_lines(task.reason), 300)}. {gone}"


def format_open(count: int, where: str = "") -> str:
    return f"{count_things(count, 'task')}{where} {'is' if count == 1 else 'are'} open"


def format_tally(counts: Mapping[str, int]) -> str:
    """`41 of 60 done, 3 in progress, 2 failed`."""
    more = [
        f"{counts[key]} {label}" for key, label in (("claimed", "in progress"), ("failed", "failed")) if counts[key]
    ]
    return ", ".join([f"{counts['done']} of {counts['total']} done", *more])


def announce(agents: int, gates: Sequence[str]) -> str:
    """Return the user's line when a swarm starts."""
    done = f" Done means these pass: {', '.join(gates)}." if gates else ""
    return cut(f"ultrawork: swarm on, {agents} agents.{done} Show: ultrawork swarm status", WIDTH)
