"""
Plays `ultrawork run` in repositories of every kind with the real Claude Code and Codex, a scripted model behind them.

Of each run it asks: are the results merged, is the rest of the checkout as it was (files, status, HEAD, stash, settings),
and is nothing left behind (worktrees, branches, processes; after `ultrawork clean`, refs). It prints one table and writes
`bench/repositories.json`. A kind that cannot be had on this machine is listed as `not run`, with the reason.

    python bench/repositories.py                        # every kind, with each client
    python bench/repositories.py --client codex lfs     # one client, kinds by name
    python bench/repositories.py --client script links  # the scripted agent, which needs no client

Real clients come from npm, once. git-lfs is found on the PATH or through `ULTRAWORK_GIT_LFS`.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from functools import partial

import common

sys.path.insert(0, f"{common.PLUGIN}/src")

from support import clients, lfs, template
from support.headless import GOAL, Headless, worker
from support.process import ClientError, end_all
from support.repositories import KINDS, PLAN, Ground
from support.scripted_model import ScriptedModel
from support.troupe import CLIENTS, Troupe
from ultrawork.store import atomic
from ultrawork.store.codec import dumps_pretty

OUT = f"{common.REPOSITORY}/bench/repositories.json"
SCRIPT = "script"
PATIENCE = 900
ROOM = 10_000_000_000  # bytes that a large kind needs on the disk
QUESTIONS = ("merged", "checkout", "nothing left")
YES, NO, NOT_RUN = "yes", "NO", "not run"


class Stage:
    """A scratch folder with a project of one kind, and an agent program that fixes its sum."""

    def __init__(self, root, client, kind):
        self.project = Headless(f"{root}/run")
        self.client, self._kind, self._root = client, KINDS[kind], root
        self._models = ExitStack()
        self._run = self._script() if client == SCRIPT else self._troupe()
        self.ground = Ground(self.project, kind)

    def _script(self):
        step = {"run": ["sh", "-c", self._kind.work]}
        self.project.cast(PLAN, worker("sum", step, {"say": "DONE"}))
        words = ["run", "--auto", "--backend", SCRIPT, GOAL]
        return lambda: self.project.run(*words, patience=PATIENCE)

    def _troupe(self):
        template.prepare_cache(f"{self._root}/home/.claude/ultrawork")
        os.makedirs(f"{self._root}/project")
        troupe = Troupe(self.client, self.project, self._make_seat)
        work = [troupe.does(self._kind.work), {"text": "The sum is fixed.\nDONE"}]
        troupe.cast(PLAN, [("TASK_ID: sum\\b", work)])
        return troupe.run

    def _make_seat(self, kind, program, script):
        model = self._models.enter_context(ScriptedModel(script))
        return kind(program, home=f"{self._root}/home", project=f"{self._root}/project", model=model)

    def play(self):
        """Run once; return what is to be told of it."""
        began = time.monotonic()
        answer = self._run()
        row = {"seconds": round(time.monotonic() - began, 1), "exit": answer.status}
        ground, told = self.ground, answer.out
        checks = (partial(ground.check_results, told), partial(ground.check_checkout, told), self._check_left)
        faults = {question: find_fault(check) for question, check in zip(QUESTIONS, checks, strict=True)}
        row |= {question: NO if fault else YES for question, fault in faults.items()}
        row["work"] = find_line(answer.out, "work")
        row["result"] = find_line(answer.out, "PASS") or find_line(answer.out, "because") or last_line(answer)
        row["faults"] = [f"{question}: {fault}" for question, fault in faults.items() if fault]
        return row

    def _check_left(self):
        """Nothing of ours, and after `clean` no ref either, except the branch of results that no other branch has."""
        self.ground.check_leftovers()
        worktrees = self.project.git("worktree", "list").splitlines()
        assert len(worktrees) == self.ground.before["worktrees"], worktrees
        cleaned = self.project.run("clean", "--yes", "--unfinished", "--everywhere", patience=PATIENCE)
        refs = self.project.git("for-each-ref", "--format=%(refname)").splitlines()
        ours = [ref for ref in refs if "ultrawork" in ref]
        kept = [ref for ref in ours if ref.startswith("refs/heads/ultrawork/") and ref[11:] in cleaned.err]
        assert ours == kept, f"{ours} after {cleaned.out.strip()}"

    def close(self):
        self._models.close()
        end_all("HOME", f"{self._root}/home")


def find_fault(check):
    """Return why a check fails, in one line; empty if it holds."""
    try:
        check()
    except (AssertionError, subprocess.CalledProcessError) as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return " | ".join(lines[-3:])[-300:] or type(error).__name__
    return ""


def find_line(printed, head):
    """Return the last line of a run's output that begins with a word."""
    lines = [line for line in printed.splitlines() if line.startswith(head)]
    return lines[-1].removeprefix("work").removeprefix("because").strip() if lines else ""


def last_line(answer):
    return ([*answer.out.splitlines(), *answer.err.splitlines()] or ["nothing"])[-1][:200]


def find_obstacle(name):
    """Return why a kind cannot be had on this machine; empty if it can."""
    kind = KINDS[name]
    if kind.needs and not lfs.find_program(kind.needs):
        return f"{kind.needs} is not installed"
    if kind.big and shutil.disk_usage(tempfile.gettempdir()).free < ROOM:
        return f"less than {ROOM // 10**9} GB of free disk"
    return ""


def play(name, client):
    """Play one kind with one client, in a folder that is removed afterwards."""
    obstacle = find_obstacle(name)
    if obstacle:
        return {NOT_RUN: obstacle}
    with tempfile.TemporaryDirectory(prefix="kind-", ignore_cleanup_errors=True) as root:
        try:
            stage = Stage(root, client, name)
        except (ClientError, OSError, subprocess.CalledProcessError) as error:
            return {NOT_RUN: str(error)[:200]}
        try:
            return stage.play()
        except subprocess.TimeoutExpired:
            return {"faults": [f"it had not ended after {PATIENCE} s"], **dict.fromkeys(QUESTIONS, NO)}
        finally:
            stage.close()


def render_row(name, client, row):
    if NOT_RUN in row:
        return f"{name:<16} {client:<7} {NOT_RUN}: {row[NOT_RUN]}"
    answers = " ".join(f"{row[question]:<12}" for question in QUESTIONS)
    told = "; ".join(row["faults"]) or row["work"]
    return f"{name:<16} {client:<7} {row.get('seconds', 0):>6} {answers} {told}"


def read_programs(chosen):
    """Return the versions of the programs that were played with."""
    found = {"git": subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]}
    found |= {name: clients.PINNED[CLIENTS[name][1]] for name in chosen if name in CLIENTS}
    program = lfs.find_program(lfs.PROGRAM)
    if program:
        said = subprocess.run([program, "version"], capture_output=True, text=True, check=True).stdout
        found[lfs.PROGRAM] = said.split()[0].partition("/")[2]
    return found


def save(kinds, chosen):
    document = common.describe_run()
    document["versions"] |= read_programs(chosen)
    rows = [row for by_client in kinds.values() for row in by_client.values()]
    document["played"] = sum(NOT_RUN not in row for row in rows)
    document["good"] = sum(all(row.get(question) == YES for question in QUESTIONS) for row in rows)
    atomic.write(OUT, dumps_pretty({**document, "kinds": kinds}), mode=0o644)


def main(words):
    parser = argparse.ArgumentParser(description="Play a run in repositories of every kind.")
    parser.add_argument("--client", choices=[*CLIENTS, SCRIPT], action="append", help="default: each real client")
    parser.add_argument(
        "--save", action="store_true", help="write bench/repositories.json also for a part of the kinds"
    )
    parser.add_argument("kind", nargs="*", help="default: all")
    args = parser.parse_args(words)
    unknown = set(args.kind) - set(KINDS)
    if unknown:
        parser.error(f"no such kinds: {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    chosen, kinds = args.client or list(CLIENTS), {}
    print(f"{'kind':<16} {'client':<7} {'s':>6} " + " ".join(f"{question:<12}" for question in QUESTIONS))
    for name in args.kind or KINDS:
        for client in chosen:
            row = kinds.setdefault(name, {})[client] = play(name, client)
            print(render_row(name, client, row), flush=True)
        if args.save or not args.kind:
            save(kinds, chosen)
    faults = [row for by_client in kinds.values() for row in by_client.values() if row.get("faults")]
    print(f"\n{len(kinds)} kinds, {len(faults)} runs with a fault")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
