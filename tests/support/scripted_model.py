"""
A loopback stand-in for a model API, driven by a script of rules, as a process.

    python -m support.scripted_model --script script.json --log requests.jsonl

The first line on stdout is `{"port": …, "url": …, "pid": …}`. It ends on SIGTERM, SIGINT or end of
file on stdin. Inside a test: `with ScriptedModel(rules) as model`, then `model.url`, `model.requests`.
The script's fields: `scripted/README.md`.
"""

import json
import os
import signal
import sys
import threading

from .scripted.rules import ScriptError
from .scripted.server import ScriptedModel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

__all__ = ["ScriptError", "ScriptedModel", "main"]


def main(argv: "Sequence[str] | None" = None) -> int:
    given = _arguments(argv)
    try:
        script = _script(given.script)
        model = ScriptedModel(script, given.port, given.log, log_bodies=given.log_bodies)
    except (OSError, ValueError) as problem:
        sys.stderr.write(f"scripted_model: {problem}\n")
        return 2
    done = _end_signalled(watch_stdin=not given.no_stdin)
    with model:
        first = {"port": model.port, "url": model.url, "pid": os.getpid()}
        sys.stdout.write(json.dumps(first) + "\n")
        sys.stdout.flush()
        while not done.wait(0.5):
            pass
    return 0


def _arguments(argv: "Sequence[str] | None") -> "Namespace":
    from argparse import ArgumentParser

    parser = ArgumentParser(description="A loopback stand-in for a model API, driven by rules.")
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1 (0: any free one)")
    parser.add_argument("--script", help="JSON file with the rules (none: always answer 'ok')")
    parser.add_argument("--log", help="append one JSON line per request to this file")
    parser.add_argument("--log-bodies", action="store_true", help="log bodies and headers too")
    parser.add_argument("--no-stdin", action="store_true", help="do not end with stdin")
    return parser.parse_args(argv)


def _script(path: str | None) -> object:
    if not path or path == "-":
        return []
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _end_signalled(*, watch_stdin: bool) -> threading.Event:
    done = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: done.set())
    if watch_stdin:
        threading.Thread(target=_drain_stdin, args=(done,), daemon=True).start()
    return done


def _drain_stdin(done: threading.Event) -> None:
    try:
        while os.read(0, 65536):  # not sys.stdin: its lock would be held at exit
            pass
    except OSError:
        pass
    done.set()


if __name__ == "__main__":
    raise SystemExit(main())
