"""
Random tasks, begun and merged in any order, in real git.

Every line of every file is a word that occurs once in the world. So what a task did is known exactly:
the words it added and the words it took away. A name that is defined twice makes the gate red, and two
tasks that define the same name in different files merge without a conflict.
"""

import os
import shutil
import tempfile
from collections import Counter
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.effort import amount
from ultrawork.engine.repository import merge_queue as queues
from ultrawork.engine.repository import worktrees
from ultrawork.engine.repository.merge_queue import MergeQueue

FILES = ("a.txt", "b.txt", "deep/c.txt")
LINES = 9
place = st.integers(0, LINES)
which = st.integers(0, 5)
edit = st.one_of(
    st.tuples(st.just("set"), which, place),
    st.tuples(st.just("insert"), which, place),
    st.tuples(st.just("drop"), which, place),
    st.tuples(st.just("define"), which, st.integers(0, 2)),
    st.tuples(st.just("new"), which, st.just(0)),
    st.tuples(st.just("remove"), which, st.just(0)),
    st.tuples(st.just("move"), which, st.integers(0, 2)),
)
tasks = st.lists(st.lists(edit, min_size=1, max_size=4), min_size=2, max_size=6)


def words_of(files):
    return Counter(line for text in files.values() for line in text.splitlines())


def is_green(files):
    names = Counter(w.split(":")[0] for w in words_of(files) if w.startswith("def-"))
    return all(number == 1 for number in names.values())


def read(folder):
    """Every file of a checkout, whatever git thinks of it."""
    found = {}
    for path in Path(folder).rglob("*"):
        if path.is_file() and ".git" not in path.relative_to(folder).parts:
            found[str(path.relative_to(folder))] = path.read_text()
    return found


def write(folder, before, after):
    for name in before.keys() - after.keys():
        os.unlink(f"{folder}/{name}")
    for name, text in after.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class World:
    """A repository, a queue, and what the results should hold."""

    def __init__(self, person):
        self.person = person
        self.fresh = count()
        for name in FILES:
            person.write(name, "".join(self.word() + "\n" for _ in range(LINES)))
        person.init()
        person.commit()
        self.repository = person.open()
        self.words = words_of(read(person.path))
        self.checked = {}
        self.merged = []
        self.queue = MergeQueue(self.repository, self.check)

    def word(self, kind="w"):
        return f"{kind}:{next(self.fresh)}"

    def check(self, path, _subject):
        self.checked = read(path)
        return is_green(self.checked), "a name is defined twice"

    def work(self, subject, epoch, edits):
        """What a worker does; it settles in its own place what would be red there."""
        worktree = worktrees.prepare(self.repository, subject, epoch)
        before = read(worktree.path)
        after = dict(before)
        for kind, number, more in edits:
            names = sorted(after)
            if names:
                EDITS[kind](self, after, names[number % len(names)], more)
        write(worktree.path, before, after)
        added = words_of(after) - words_of(before)
        return worktree.collect(f"Do {subject}"), added, words_of(before) - words_of(after)

    def merge(self, subject, commit, added, removed):
        head = self.repository.head()
        merged = self.queue.merge(subject, commit)
        if merged.status == queues.MERGED:
            self.merged.append(subject)
            self.words = (self.words - removed) + added
            assert self.person.git("rev-parse", f"{merged.commit}^") == head
            assert self.repository.head() == merged.commit
            assert self.checked == self.results()
        else:
            assert self.repository.head() == head
        return merged.status

    def results(self):
        files = self.person.files(self.repository.branch)
        return {name: text + "\n" if text else "" for name, text in files.items()}

    def assert_whole(self):
        found = self.results()
        assert is_green(found)
        assert words_of(found) == self.words
        steps = self.person.git("log", "--reverse", "--format=%s", f"{self.repository.base}..ultrawork/s1")
        assert steps.splitlines() == [f"Do {subject}" for subject in self.merged]
        assert self.person.git("status", "--porcelain") == ""


def set_line(world, files, name, at):
    lines = files[name].splitlines()
    if lines:
        lines[at % len(lines)] = world.word()
        files[name] = "".join(line + "\n" for line in lines)


def insert_line(world, files, name, at):
    lines = files[name].splitlines()
    lines.insert(at % (len(lines) + 1), world.word())
    files[name] = "".join(line + "\n" for line in lines)


def drop_line(_world, files, name, at):
    lines = files[name].splitlines()
    if lines:
        del lines[at % len(lines)]
        files[name] = "".join(line + "\n" for line in lines)


def define_name(world, files, name, number):
    if not any(word.startswith(f"def-{number}:") for word in words_of(files)):
        files[name] += world.word(f"def-{number}") + "\n"


def new_file(world, files, _name, _more):
    files.setdefault("new.txt", world.word() + "\n")


def remove_file(_world, files, name, _more):
    del files[name]


def move_file(_world, files, name, number):
    files.setdefault(f"moved/{number}.txt", files.pop(name))


EDITS = {
    "set": set_line,
    "insert": insert_line,
    "drop": drop_line,
    "define": define_name,
    "new": new_file,
    "remove": remove_file,
    "move": move_file,
}


def play(person, plans, order):
    """Each task is begun at some time, merged at some later time, and tried once more if it must be."""
    world = World(person)
    begun = {}
    for number in order:
        subject = f"t{number}"
        if number not in begun:
            begun[number] = world.work(subject, 1, plans[number])
        elif world.merge(subject, *begun[number]) in (queues.CONFLICT, queues.RED):
            world.merge(subject, *world.work(subject, 2, plans[number]))
        world.assert_whole()
    return world


@st.composite
def stories(draw):
    plans = draw(tasks)
    twice = [number for number in range(len(plans)) for _ in range(2)]
    return plans, draw(st.permutations(twice))


def tell(person_class, story):
    folder = Path(tempfile.mkdtemp())
    try:
        return play(person_class(folder), *story)
    finally:
        shutil.rmtree(folder)


@pytest.mark.slow
@settings(max_examples=4)
@given(stories())
def test_results_are_green_and_hold_every_merged_change(person, story):
    tell(type(person), story)


@pytest.mark.slow
@settings(max_examples=amount(12, 60))
@given(stories())
def test_many_random_tasks_in_any_order(person, story):
    tell(type(person), story)


def test_two_definitions_of_one_name_are_red_without_a_conflict(person):
    plans = [[("define", 0, 0)], [("define", 1, 0)]]
    world = World(person)
    results = [world.work(f"t{number}", 1, plan) for number, plan in enumerate(plans)]
    assert world.merge("t0", *results[0]) == queues.MERGED
    assert world.merge("t1", *results[1]) == queues.RED
    world.assert_whole()
