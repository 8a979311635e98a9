"""
Where Claude Code stores the conversations of a folder, by the folder's path.

Those of a worktree go away with it: else the client would list them forever. They are kept with the session, and put
back when a user resumes one.
"""

import os
import re
import shutil
from collections.abc import Mapping

from ..records import list_records

_NOT_PLAIN = re.compile("[^A-Za-z0-9]")
_RECORD = ".jsonl"


def locate_conversations(place: str, environ: "Mapping[str, str]") -> str:
    home = environ.get("CLAUDE_CONFIG_DIR") or f"{environ.get('HOME', '')}/.claude"
    return f"{home}/projects/{_NOT_PLAIN.sub('-', place)}"


def keep_conversations(place: str, kept: str, environ: "Mapping[str, str]") -> None:
    """Move the conversations of a folder to `kept`, unless that is empty, and remove what else the client stored."""
    folder = locate_conversations(place, environ)
    if not os.path.isdir(folder) or os.path.islink(folder):
        return
    try:
        for name in os.listdir(folder) if kept else ():
            if name.endswith(_RECORD):
                os.makedirs(kept, mode=0o700, exist_ok=True)
                shutil.move(f"{folder}/{name}", f"{kept}/{name}")
    except OSError:
        return  # no room: they stay where they are
    shutil.rmtree(folder, ignore_errors=True)


def restore_conversation(conversation: str, kept: str, place: str, environ: "Mapping[str, str]") -> bool:
    """Put a kept conversation where the client finds it in `place`. Return whether it is there."""
    target = f"{locate_conversations(os.path.realpath(place), environ)}/{conversation}{_RECORD}"
    source = f"{kept}/{conversation}{_RECORD}"
    if os.path.isfile(source) and not os.path.exists(target):
        os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
        shutil.copyfile(source, target)
    return os.path.isfile(target)


def find_start(record: str) -> str:
    """Return the folder in which a conversation began, where the client looks for it; empty if it does not say."""
    places = [str(entry["cwd"]) for entry in list_records(record, b'"cwd"') if entry.get("cwd")]
    return places[-1] if places else ""
