"""Little projects: a table of files goes to disk, the gates found there come back as lines."""

import os

import pytest

from ultrawork.gates.find.project import search_gates, survey_gates
from ultrawork.gates.trees.files import DiskFiles


class Project:
    def __init__(self, root, files):
        self.root = str(root)
        for name, text in files.items():
            path = os.path.join(self.root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(text if isinstance(text, bytes) else text.encode())
        self.files = DiskFiles(self.root)

    def gates(self, config=None, changed=None):
        return search_gates(self.files, config, changed=changed).gates

    def gate(self, name="test"):
        return next(gate for gate in self.gates() if gate.name == name)

    def lines(self, config=None, changed=None):
        """`name: command | source | runner`, as short as a table wants it."""
        return [f"{gate.name}: {gate.command} | {gate.source} | {gate.runner}" for gate in self.gates(config, changed)]

    def survey(self, config=None):
        return survey_gates(self.files, config)

    def offers(self):
        """What CI also runs: the line that would make it a gate, else the command and what it lacks."""
        found = self.survey().ci.offers
        return [one.line or f"{one.command}: {one.why}" for one in found]

    def in_ci(self):
        return self.survey().ci.runs

    def left_out(self):
        return [f"{name}: {why}" for name, why in self.survey().left_out]


@pytest.fixture
def project(tmp_path):
    return lambda files: Project(tmp_path, files)
