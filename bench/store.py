"""The store through the command line: what one call costs beside a bare interpreter."""

import json
import sys

from common import Call, Scratch, bare, measure, report

ROUNDS = 60
PLANS = 3


def plan(count, *, chained):
    """Tasks that all could run at once, or each of which waits for up to three before it."""
    waits = (lambda n: [str(m) for m in range(max(0, n - 3), n)]) if chained else lambda _: []
    tasks = [{"id": str(n), "subject": f"task {n}", "criteria": ["green"], "blockedBy": waits(n)} for n in range(count)]
    return json.dumps({"tasks": tasks})


def prepare(scratch):
    thousand = scratch.write(f"{scratch.root}/1000.json", plan(1000, chained=False))
    for session in ("list", "claim", "update"):
        scratch.run("session", "new", "--session", session, "--goal", "measure")
        scratch.run("task", "create", "--session", session, "--from", thousand)


def calls(scratch):
    words = scratch.words
    evidence = ["--add-evidence", "make test: 12 passed"]
    return [
        bare(),
        Call("session get --field phase", words("session", "get", "--field", "phase"), times=3),
        Call("task list (1,000 tasks)", words("task", "list", "--session", "list"), times=6),
        Call("task update --add-evidence", words("task", "update", "--session", "update", "--id", "1", *evidence)),
        Call("task claim", words("task", "claim", "--session", "claim", "--owner", "w")),
    ]  # fmt: skip


def big_plan(scratch):
    path = scratch.write(f"{scratch.root}/10000.json", plan(10_000, chained=True))
    call = Call("task create --from (10,000 tasks)", [], seconds=5)
    for number in range(PLANS):
        scratch.run("session", "new", "--session", f"big-{number}", "--goal", "measure")
        words = ("task", "create", "--session", f"big-{number}", "--from", path)
        call.samples.append(scratch.run(*words))
    return call


def main():
    with Scratch() as scratch:
        prepare(scratch)
        measured = calls(scratch)
        measure(measured, scratch.environ, scratch.place, rounds=ROUNDS)
        measured.append(big_plan(scratch))
    return 0 if report("The store", measured, measured[0]) else 1


if __name__ == "__main__":
    sys.exit(main())
