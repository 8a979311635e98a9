"""Other models, asked beside the session: a question starts a job, the job's answer is data.

The server of a tool decides which program is asked. A call waits at most 50 seconds, because clients give up on longer
ones; longer jobs are requested again by id."""

import os
from time import time

from ...mcp.call import ToolCall
from ...mcp.environment import ToolEnvironment
from ...mcp.tool import Tool, take_choice, take_flag, take_text, take_texts, take_whole
from ...store.settings import Settings
from .desk import HelperDesk
from .job import Job
from .values.helpers import COMPLETED, EFFORTS, HELPERS, LONGEST_JOB, LONGEST_WAIT, SHORTEST_JOB, Helper, render_answer

QUEUE = "helpers"
SHOWN = 60_000
_WAIT = int(LONGEST_WAIT * 1000)


def open_desk(environment: ToolEnvironment) -> HelperDesk:
    """Return the desk of a server, with jobs that an earlier one left."""
    from .desk import HelperDesk

    desk = HelperDesk(environment.home, environment.environ)
    desk.adopt(environment.server)
    return desk


def _find_desk(call: ToolCall) -> HelperDesk:
    desk: HelperDesk = call.environment.open_part("helpers")
    return desk


def ask(call: ToolCall) -> str:
    helper = HELPERS[call.environment.server]
    without = _find_obstacle(call, helper)
    if without:
        return f"{without} Nothing was started. {_instead(call)}"
    desk = _find_desk(call)
    job = desk.ask(*_prepare(call, helper))
    if call["background"]:
        return f"job {job.id} started; get its answer with wait_for_job"
    job = desk.wait(job, LONGEST_WAIT, call.note, call.should_stop)
    return _show(call, desk.kill(job) if call.cancelled else job)


def _find_obstacle(call: ToolCall, helper: Helper) -> str:
    """Return why no one should be asked now, in one sentence with the time."""
    from ...clients.headless import table
    from ...core.times import format_iso

    if not call.environment.has_helper():
        return f"{helper.title} is not installed: {table.get(helper.name).how_to_get}."
    until = _find_desk(call).find_block(helper.name)
    if until:
        clear = f"to try again now: `ultrawork providers clear {helper.name}`"
        return f"{helper.title} is rate limited until {format_iso(until)}; {clear}."
    until = table.get(helper.name).find_quota_reset(call.environment.environ, time())
    if until:
        return f"{helper.title} reports that its quota is used up until {format_iso(until)}."
    return ""


def _instead(call: ToolCall) -> str:
    role = call["agent_role"] or "architect"
    return f"Ask the agent ultrawork:{role} instead, and mention that you did."


def _prepare(call: ToolCall, helper: Helper) -> tuple[Job, str]:
    from ...store import settings as stored
    from ...store.paths import find_root
    from . import question as asking
    from .job import Job

    environment = call.environment
    place = asking.AskingPlace(environment.top, call["working_directory"] or "", environment.environ)
    settings = stored.load_at(environment.environ, environment.home, environment.top)
    question = asking.Question(
        call["prompt"] or "",
        role=(call["agent_role"] or "").strip(),
        prompt_file=call["prompt_file"] or "",
        files=call["context_files"],
        write=_may_write(call, settings),
    )
    prompt = asking.make_prompt(question, place, find_root(), os.urandom(8).hex())
    chain = settings[f"helpers.{helper.name}_models"]
    seconds = min(LONGEST_JOB, max(SHORTEST_JOB, settings["helpers.deadline"]))
    output = place.find_output(call["output_file"]) if call["output_file"] else ""
    job = Job(
        id=os.urandom(8).hex(), provider=helper.name, top=environment.top, place=place.folder,
        models=asking.choose_models(helper, call["model"] or "", chain, environment.environ),
        created_at=time(), seconds=seconds, keeper="", role=question.role, session=call.session,
        effort=call.arguments.get("reasoning_effort") or "", output_file=output,
        writes=question.write, ends_with_session=call["end_with_session"],
    )  # fmt: skip
    return job, prompt


def _may_write(call: ToolCall, settings: Settings) -> bool:
    from ...core.errors import UsageError

    if not call["write"]:
        return False
    if call.environment.server not in settings["helpers.write"] or call.confined:
        own = call.environment.home.settings
        raise UsageError(f"helpers are read-only; `[helpers] write` in {own} lists those that may write")
    return True


def wait_for_job(call: ToolCall) -> str:
    desk = _find_desk(call)
    job = desk.look(call["job_id"], call.environment.top)
    seconds = min(call["timeout_ms"] / 1000, LONGEST_WAIT)
    return _show(call, desk.wait(job, seconds, call.note, call.should_stop))


def check_job_status(call: ToolCall) -> str:
    from ...store.codec import dumps_pretty

    desk = _find_desk(call)
    job = desk.look(call["job_id"], call.environment.top)
    doing = {} if job.is_over else {"doing": desk.describe_work(job)}
    return dumps_pretty({**job.document(), **doing}).rstrip()


def kill_job(call: ToolCall) -> str:
    desk = _find_desk(call)
    job = desk.kill(desk.look(call["job_id"], call.environment.top))
    return f"job {job.id}: {job.status}{', ' + job.detail if job.detail else ''}"


def list_jobs(call: ToolCall) -> str:
    from ...core.times import format_iso
    from .job import choose_by_status

    jobs = _find_desk(call).list_jobs(call.environment.server, call.environment.top)
    chosen = choose_by_status(jobs, call["status_filter"], call["limit"])
    lines = [
        f"{job.id}  {job.status:<9}  {job.role or '-':<17}  {job.model:<22}  {format_iso(job.created_at)}"
        for job in chosen
    ]
    return "\n".join(lines) or "no jobs"


def _show(call: ToolCall, job: Job) -> str:
    """Return the answer with notes on how it came about, or what prevents it."""
    desk = _find_desk(call)
    if not job.is_over:
        doing = desk.describe_work(job)
        return f"job {job.id} is still running ({doing}); call wait_for_job again"
    before = "" if desk.tell_once(job) else "This answer was already returned once. "
    notes = [f"note: {note}" for note in job.notes]
    if job.status != COMPLETED:
        return "\n".join([before + _tell_failure(job), *notes])
    text = desk.shelf.read_answer(job)
    if len(text) > SHOWN:
        notes.append(f"note: {len(text):,} characters; full answer: {desk.shelf.answer_path(job)}")
        text = text[:SHOWN] + "\n…"
    title = HELPERS[job.provider].title
    answer = before + render_answer(title, job.model, text, os.urandom(8).hex())
    notes += [f"note: written to {job.output_file}"] if job.output_file else []
    return "\n".join([answer, *notes])


def _tell_failure(job: Job) -> str:
    from ...core.times import format_iso

    helper = HELPERS[job.provider]
    advice = {"limit": f"; rate limited until {format_iso(job.retry_at)}", "auth": f"; log in: {helper.login}"}
    why = f"{job.status}: {job.detail or job.trouble}{advice.get(job.trouble, '')}"
    instead = (
        ""
        if job.killed_by_user
        else f" Ask the agent ultrawork:{job.role or 'architect'} instead, and mention that you did."
    )
    return f"job {job.id} of {helper.title} {why} (seen {format_iso(job.ended_at)}).{instead}"


_ASK = {
    "prompt": take_text("the question"),
    "agent_role": take_text("role of an agent, such as architect"),
    "prompt_file": take_text("file with the question instead"),
    "output_file": take_text("file to also write the answer to"),
    "context_files": take_texts("files to read, inside the working folder"),
    "model": take_text("use only this model, no fallback"),
    "background": take_flag("return at once with a job id", default=False),
    "working_directory": take_text("default: the worktree"),
    "write": take_flag("work in its own copy; needs the user's permission", default=False),
    "end_with_session": take_flag("stop it when this session ends", default=False),
}
_JOB = {"job_id": take_text("16 hexadecimal digits", most=16)}
_ALL = (
    Tool(
        "ask_codex",
        "Ask Codex for its opinion, read-only: architecture, plans, code, security, tests.",
        ask,
        {**_ASK, "reasoning_effort": take_choice("reasoning effort", EFFORTS)},
        queue=QUEUE,
    ),
    Tool(
        "ask_gemini",
        "Ask Gemini for its opinion, read-only: large inputs, user interfaces, writing.",
        ask,
        _ASK,
        queue=QUEUE,
        other_names={"files": "context_files"},
    ),
    Tool(
        "wait_for_job",
        "Get a job's answer. Waits up to 50 seconds; call again if it is still running.",
        wait_for_job,
        {**_JOB, "timeout_ms": take_whole("", 1, 3_600_000, _WAIT)},
        required=("job_id",),
        queue=QUEUE,
    ),
    Tool("check_job_status", "Show a job's status without waiting.", check_job_status, _JOB, required=("job_id",)),
    Tool(
        "kill_job",
        "Stop a job and its processes.",
        kill_job,
        {**_JOB, "signal": take_choice("", ("SIGTERM", "SIGINT"), "SIGTERM")},
        required=("job_id",),
    ),
    Tool(
        "list_jobs",
        "List the jobs of this worktree, newest first.",
        list_jobs,
        {
            "status_filter": take_choice("", ("active", "completed", "failed", "all"), "active"),
            "limit": take_whole("", 1, 50, 50),
        },
    ),
)
TOOLS = {tool.name: tool for tool in _ALL}
