"""A team without hosting: one bare repository, people with their own clones, SSH keys and state folders."""

import os
import shutil
import subprocess
from dataclasses import dataclass, field

from . import template
from .floor import PATH, TERMINAL, Answer, Console

FILES = {
    "Makefile": "test:\n\t@sh check.sh\n",
    "check.sh": 'grep -q right app.txt && echo "1 passed"\n',
    "app.txt": "right\n",
    "README.md": "# App\n",
    "tests/test_app.py": "def test_right():\n    assert 'right' in open('app.txt').read()\n",
    "ultrawork.toml": '[gates]\ntest = "make test"\n[proof]\ncover = ["test"]\n',
}
SIGNERS = ".ultrawork/allowed_signers"


@dataclass
class Person:
    """Someone with a clone: `git`, `ultrawork` in this process, and files to write."""

    name: str
    root: str
    environ: dict[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        return f"{self.root}/clone"

    @property
    def key(self) -> str:
        return f"{self.root}/key"

    def git(self, *words: str, check: bool = True) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.place, env=self.environ, capture_output=True, text=True, check=False
        )
        assert not check or done.returncode == 0, f"git {words}: {done.stderr}"
        return done.stdout.strip()

    def ultrawork(self, *words: str, stdin: bytes = b"") -> Answer:
        from ultrawork.cli.main import main

        with Console(self.place, stdin) as console:
            status = main(words, self.environ, lambda: TERMINAL)
        return Answer(status, console.out.text(), console.err.text())

    def write(self, path: str, text: str) -> None:
        os.makedirs(os.path.dirname(f"{self.place}/{path}"), exist_ok=True)
        with open(f"{self.place}/{path}", "w", encoding="utf-8") as file:
            file.write(text)

    def commit(self, subject: str, files: "dict[str, str] | None" = None) -> str:
        for path, text in (files or {}).items():
            self.write(path, text)
        self.git("add", "-A")
        self.git("commit", "-qm", subject)
        return self.git("rev-parse", "HEAD")

    def tree(self, ref: str = "HEAD") -> str:
        return self.git("rev-parse", f"{ref}^{{tree}}")


class Team:
    """`join` gives a person a clone; `main` has the keys of the first members."""

    def __init__(self, root: str, files: "dict[str, str] | None" = None) -> None:
        self.root = os.path.realpath(root)
        self.bare = f"{self.root}/bare.git"
        self._run("git", "init", "-q", "--bare", "-b", "main", self.bare)
        self.alice = self.make_person("alice")
        self.bob = self.make_person("bob")
        self.alice.git("init", "-qb", "main")
        self.alice.git("remote", "add", "origin", self.bare)
        given = FILES if files is None else files
        signers = self.allow(self.alice) + self.allow(self.bob)
        self.alice.commit("Begin", {**given, SIGNERS: signers})
        self.alice.git("push", "-qu", "origin", "main")
        self.alice.git("remote", "set-head", "origin", "main")
        self.clone(self.bob)

    def _run(self, *words: str) -> None:
        subprocess.run(words, check=True, capture_output=True, env={"PATH": PATH})

    def make_person(self, name: str) -> Person:
        found = Person(name, f"{self.root}/{name}")
        os.makedirs(found.place)
        self._run(
            "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", f"{name}@example.org",
            "-f", found.key,
        )  # fmt: skip
        found.environ = {
            "PATH": PATH,
            "HOME": found.root,
            "ULTRAWORK_HOME": f"{found.root}/state",
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        template.prepare_cache(f"{found.root}/state")
        self._configure(found)
        return found

    def copy(self, root: str) -> "Team":
        """Copy the people, repositories and state folders, so that a verification is not made twice."""
        other = Team.__new__(Team)
        other.root = os.path.realpath(root)
        other.bare = f"{other.root}/bare.git"
        shutil.copytree(self.root, other.root, symlinks=True, dirs_exist_ok=True)
        other.alice, other.bob = (other._settle(one) for one in (self.alice, self.bob))
        return other

    def _settle(self, person: Person) -> Person:
        found = Person(person.name, f"{self.root}/{person.name}")
        found.environ = {**person.environ, "HOME": found.root, "ULTRAWORK_HOME": f"{found.root}/state"}
        self._configure(found)
        found.git("remote", "set-url", "origin", f"file://{self.bare}")
        return found

    def _configure(self, person: Person) -> None:
        with open(f"{person.root}/.gitconfig", "w", encoding="utf-8") as file:
            file.write(
                f"[user]\nname = {person.name}\nemail = {person.name}@example.org\n"
                f"signingkey = {person.key}.pub\n[gpg]\nformat = ssh\n[init]\ndefaultBranch = main\n"
                "[advice]\ndetachedHead = false\n"
            )

    def allow(self, person: Person) -> str:
        """Return a line of allowed signers for a person, in our namespace alone."""
        with open(f"{person.key}.pub", encoding="utf-8") as file:
            kind, key, _ = file.read().split(" ", 2)
        return f'{person.name}@example.org namespaces="ultrawork" {kind} {key}\n'

    def clone(self, person: Person, *options: str) -> None:
        self._run("rm", "-rf", person.place)
        source = f"file://{self.bare}"
        subprocess.run(
            ["git", "clone", "-q", *options, source, person.place], check=True, capture_output=True, env=person.environ
        )
