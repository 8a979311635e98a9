"""The baseline branch as a judge of proofs: its policy, its allowed signers, its checks, and the trees that it had."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ..core.errors import UsageError
from ..core.verdict.gate import Gate
from ..gates.find.project import search_gates
from ..gates.trees.files import GitTree
from ..store.codec import digest, dumps
from ..store.settings import PROJECT_FILES
from ..system.git import Git
from .policy import Definition, ProofPolicy, read_policy

# How many baseline commits are searched for the tree that a proof was measured against.
HISTORY = 5_000
_USUAL = ("origin/HEAD", "origin/main", "origin/master", "main", "master")


def digest_definition(gate: Gate) -> str:
    """Return a digest that is the same on every machine: what runs, where, with which variables, and its definition."""
    return digest(dumps([gate.command, gate.where, gate.env, gate.definition]))


def find_definitions(git: Git, tree: str, gates: Mapping[str, object]) -> dict[str, Gate]:
    """The checks that a tree defines, by name."""
    definitions = search_gates(GitTree(git.ask, tree), gates).gates
    return {gate.name: gate for gate in definitions}


def read_tree_policy(git: Git, tree: str) -> ProofPolicy:
    return read_policy(git.read_all(tree, PROJECT_FILES))


@dataclass(frozen=True)
class Baseline:
    """A branch by its name, and its newest commit."""

    git: Git
    name: str
    commit: str

    @cached_property
    def tree(self) -> str:
        return self.git.tree_id(self.commit) or ""

    @cached_property
    def policy(self) -> ProofPolicy:
        return read_tree_policy(self.git, self.tree)

    @cached_property
    def signers(self) -> bytes:
        """The text of its allowed signers; empty without any."""
        return self.git.read(self.tree, self.policy.signers) or b""

    @cached_property
    def definitions(self) -> dict[str, Definition]:
        gates = find_definitions(self.git, self.tree, self.policy.gates)
        return {
            name: Definition(name, gate.command, digest_definition(gate), gate.required, bool(gate.when))
            for name, gate in gates.items()
        }

    @cached_property
    def _trees(self) -> frozenset[str]:
        printed = self.git.ask(["log", f"-{HISTORY}", "--format=%T", self.commit])
        return frozenset(printed.decode().split())

    def had_tree(self, tree: str) -> bool | None:
        """Return whether a commit of the branch has these files; None in a shallow clone."""
        if tree in self._trees:
            return True
        shallow = self.git.line("rev-parse", "--is-shallow-repository") == "true"
        return None if shallow else False


def open_baseline(git: Git, given: str | None) -> Baseline:
    """Return the named branch, else the remote's main branch, else our own."""
    for name in (given,) if given is not None else _USUAL:
        commit = git.commit(name)
        if commit is not None:
            shown = git.line("rev-parse", "--abbrev-ref", name) if name == _USUAL[0] else name
            return Baseline(git, shown or name, commit)
    if given is not None:
        raise UsageError(f"{given} is not a branch or commit here; fetch it, or name another one")
    raise UsageError("I found no main branch; name the baseline: --baseline origin/BRANCH")
