"""
Proofs in a repository with 10,000 notes: publishing one and checking one, beside what git itself takes for the same.

`git` is the commands that each of them asks of git, one after the other, in a shell. What we add to that has a budget.
"""

import os
import subprocess
import sys
from hashlib import sha1

from common import PLUGIN, Call, Scratch, bare, measure, report

from support.team import Team

NOTES = 10_000
ROUNDS = 7
# Seconds beyond git.
PUBLISH, CHECK = 0.300, 0.500
REF = "refs/notes/ultrawork"


def add_notes(person, count):
    """By one process: notes for trees that nobody has, with a fan-out as git would choose it."""
    marks = (f"blob\nmark :{number}\ndata 6\nnote{number % 10}\n\n" for number in range(1, 11))
    keys = (sha1(str(number).encode()).hexdigest() for number in range(count))
    lines = "".join(f"M 100644 :{at % 10 + 1} {key[:2]}/{key[2:]}\n" for at, key in enumerate(keys))
    head = person.git("rev-parse", REF)
    text = "".join(marks) + (
        f"commit {REF}\ncommitter b <b@example.org> 1700000000 +0000\ndata 1\n.\nfrom {head}\n{lines}\n"
    )
    subprocess.run(
        ["git", "fast-import", "--quiet", "--force"],
        cwd=person.place, env=person.environ, input=text.encode(), check=True,
    )  # fmt: skip


def make_team(root):
    team = Team(root)
    alice = team.alice
    alice.git("checkout", "-qb", "fix")
    alice.commit("Fix", {"app.txt": "right indeed\n"})
    for words in (["verify", "--base", "origin/main"], ["evidence", "publish"]):
        told = alice.ultrawork(*words)
        assert told.status == 0, told
    add_notes(alice, NOTES)
    alice.git("push", "-q", "origin", REF)
    return team


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def main():
    with Scratch() as scratch:
        os.makedirs(f"{scratch.root}/team")
        alice = make_team(f"{scratch.root}/team").alice
        names = {"tree": alice.tree(), "ref": REF, "key": alice.key}
        read = write(f"{scratch.root}/check.sh", GIT.format(**names))
        wrote = write(f"{scratch.root}/publish.sh", (GIT + GIT_PUBLISH).format(**names))
        ours = f"{PLUGIN}/bin/ultrawork"
        floor = bare()
        asked = Call("git, as check asks it", ["/bin/sh", read])
        check = Call("evidence check", [ours, "evidence", "check"])
        asked_more = Call("git, as publish asks it", ["/bin/sh", wrote])
        publish = Call("evidence publish", [ours, "evidence", "publish"])
        calls = [floor, asked, check, asked_more, publish]
        measure(calls, alice.environ, alice.place, rounds=ROUNDS)
        report(f"proofs among {NOTES:,} notes", calls, floor)
        kept = [tell("check", check, asked, CHECK, floor), tell("publish", publish, asked_more, PUBLISH, floor)]
        return 0 if all(kept) else 1


def tell(name, ours, beside, most, floor):
    """Processor time decides: other programs on the machine are nothing to it."""
    beyond, waited = ours.cpu - beside.cpu, ours.median - beside.median
    print(
        f"{name}: {beyond * 1e3:.0f} ms beyond git's {beside.cpu * 1e3:.0f} ms (waited {waited * 1e3:.0f} ms longer),"
        f" {ours.cpu / beside.cpu:.1f} x git, {ours.cpu / floor.cpu:.1f} x a bare interpreter;"
        f" at most {most * 1e3:.0f} ms{'' if beyond <= most else '  OVER'}"
    )
    return beyond <= most


GIT = """\
set -e
git rev-parse HEAD^{{commit}} HEAD^{{tree}} origin/main^{{tree}} >/dev/null
git merge-base origin/main HEAD >/dev/null
git diff-tree -r origin/main HEAD >/dev/null
git notes --ref={ref} list {tree} >/dev/null
git cat-file blob $(git notes --ref={ref} list {tree}) >/dev/null
git ls-tree -r origin/main >/dev/null
git log -5000 --format=%T origin/main >/dev/null
ssh-keygen -Y find-principals -s /dev/null -f /dev/null >/dev/null 2>&1 || true
ssh-keygen -Y verify -n ultrawork -I x -s /dev/null -f /dev/null >/dev/null 2>&1 </dev/null || true
"""
GIT_PUBLISH = """\
git grep -h -I -i -E -e '\\.(md|rst)' HEAD >/dev/null || true
for one in 1 2; do echo x | ssh-keygen -Y sign -q -n ultrawork -f {key} >/dev/null 2>&1; done
git notes --ref={ref} list {tree} >/dev/null
git fetch -q origin +{ref}:refs/notes/bench && git update-ref -d refs/notes/bench
git push -q origin {ref}:{ref}
"""


if __name__ == "__main__":
    sys.exit(main())
