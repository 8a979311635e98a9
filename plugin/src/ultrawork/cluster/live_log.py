"""What an agent on another machine prints while it works, fetched on request."""

import asyncio
import tempfile
from collections.abc import Mapping
from datetime import timedelta
from os import urandom

from ..core.errors import Trouble, UltraworkError
from ..engine.agents.prompts import read_said
from ..store.attempts import AttemptRow
from ..store.settings import Settings
from .job import LOG_ACTIVITY, LOGS, OUTPUT_FILES
from .keys import JOBS_KEY_FILE, read_key
from .place import connect, name_queue, read_place

_PATIENCE = 15.0


def read_live(row: AttemptRow, session: str, settings: Settings, environ: Mapping[str, str]) -> list[str]:
    """Return what `ultrawork logs` shows; a line with the reason if its machine does not answer."""
    try:
        text = asyncio.run(_ask(row, session, settings, environ))
    except UltraworkError as error:
        return [f"({error})"]
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/{OUTPUT_FILES[0]}", "wb") as file:
            file.write(text.encode("utf-8", "replace"))
        return read_said(row.backend, folder)


async def _ask(row: AttemptRow, session: str, settings: Settings, environ: Mapping[str, str]) -> str:
    client = await connect(read_place(settings), environ)
    request = {"session": session, "subject": row.subject, "epoch": row.epoch}
    key = read_key(environ, JOBS_KEY_FILE)
    try:
        sealed = await asyncio.wait_for(
            client.execute_activity(
                LOG_ACTIVITY,
                key.seal(request),
                id=f"log/{urandom(8).hex()}",
                task_queue=name_queue(LOGS, host=row.machine),
                schedule_to_close_timeout=timedelta(seconds=_PATIENCE),
                result_type=dict,
            ),
            _PATIENCE,
        )
    except Exception as error:
        raise Trouble(f"{row.machine} does not answer: {type(error).__name__}") from error
    return str(key.unseal_report(sealed, f"{session}/{row.subject}/{row.epoch}", "the log").get("text", ""))
