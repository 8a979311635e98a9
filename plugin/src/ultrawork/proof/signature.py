"""Signatures of blocks: made with the user's git SSH key, checked against a list of allowed signers.

`ssh-keygen -Y` does both. The namespace is our own, so that a signature of a commit or file does not count for a
proof."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from ..core.errors import Trouble, UsageError
from ..store import atomic
from ..system.git import Git
from ..system.program import ProgramAnswer, ask_program, find_program

NAMESPACE = "ultrawork"
LARGEST = 64_000
_PATIENCE = 60.0
_LITERAL = ("key::", "ssh-", "ecdsa-", "sk-")
UNSIGNED_HINT = "git config gpg.format ssh, git config user.signingkey ~/.ssh/id_ed25519.pub, publish again"


@dataclass(frozen=True, slots=True)
class SigningKey:
    """`text` is a public key whose private half an agent holds, else `path` is a key file."""

    path: str = ""
    text: str = ""


def find_key(git: Git, environ: Mapping[str, str], given: str | None) -> SigningKey | None:
    """Return the given key, else the one that git signs commits with; None if that is not an SSH key."""
    if given is not None:
        if not os.path.isfile(given):
            raise UsageError(f"--key {given} is not a file; give the path of an SSH key")
        return SigningKey(os.path.abspath(given))
    if git.line("config", "--get", "gpg.format") != "ssh":
        return None
    setting = git.line("config", "--get", "user.signingkey")
    if not setting:
        return None
    if setting.startswith(_LITERAL):
        return SigningKey(text=setting.removeprefix("key::"))
    home = environ.get("HOME", "")
    path = home + setting[1:] if setting.startswith("~/") else os.path.join(git.root, setting)
    if not os.path.isfile(path):
        raise UsageError(f"git's user.signingkey {setting} is not a file; name an SSH key, or use --key")
    return SigningKey(path)


class SshKeygen:
    """`ssh-keygen` with a scratch folder for the files that it wants to read."""

    def __init__(self, environ: Mapping[str, str], folder: str) -> None:
        self._program = find_program("ssh-keygen", environ)
        self._environ = dict(environ)
        self._folder = folder

    def _ask(self, *words: str, given: bytes = b"") -> ProgramAnswer:
        if self._program is None:
            raise Trouble("ssh-keygen is not on the PATH; install OpenSSH, or publish --unsigned")
        argv = [self._program, "-Y", *words]
        return ask_program(argv, env=self._environ, given=given, patience=_PATIENCE)

    def sign(self, key: SigningKey, data: bytes) -> bytes:
        path = key.path
        if key.text:
            path = f"{self._folder}/key.pub"
            atomic.write(path, key.text + "\n", sync=False)
        answer = self._ask("sign", "-q", "-n", NAMESPACE, "-f", path, given=data)
        if answer.exit or not answer.out.startswith(b"-----BEGIN SSH SIGNATURE"):
            lines = answer.err.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
            raise Trouble(f"ssh-keygen could not sign: {lines[-1]}; load the key with ssh-add")
        return answer.out

    def find_signer(self, data: bytes, signature: bytes, allowed: bytes) -> str | None:
        """Return which allowed signer made the signature; None if none did."""
        if not allowed.strip() or len(signature) > LARGEST:
            return None
        signed, trusted = f"{self._folder}/signature", f"{self._folder}/allowed_signers"
        atomic.write(signed, signature, sync=False)
        atomic.write(trusted, allowed, sync=False)
        program_answer = self._ask("find-principals", "-s", signed, "-f", trusted)
        # A line of allowed signers may name several people, separated by commas.
        names = program_answer.out.decode("utf-8", "replace").replace(",", "\n") if program_answer.exit == 0 else ""
        for name in filter(None, map(str.strip, names.splitlines())):
            words = ("-n", NAMESPACE, "-I", name, "-s", signed, "-f", trusted)
            if self._ask("verify", *words, given=data).exit == 0:
                return name
        return None
