"""The two keys of a cluster, and what they sign.

The jobs key signs a worker's orders and everything that it reports: coordinators and workers hold it. The journal key
signs the record from which a run can be taken over: only coordinators hold it. Neither travels by Temporal or git, so a
login to one of them can neither give a worker a job, nor answer for one, nor tell the next coordinator what to run."""

import hmac
import os
from collections.abc import Mapping
from typing import Any

from ..core.check import quote
from ..core.errors import Conflict, NotFound, UsageError
from ..store.codec import dumps, loads
from ..store.paths import find_home

JOBS_KEY_FILE = "ULTRAWORK_JOBS_KEY_FILE"
JOURNAL_KEY_FILE = "ULTRAWORK_JOURNAL_KEY_FILE"
_NAMES = {JOBS_KEY_FILE: "jobs.key", JOURNAL_KEY_FILE: "journal.key"}
_BYTES = 32  # of a key that we make
_LEAST = 32  # characters of one that is given
_BODY, _SIGNATURE, _OF = "body", "signature", "of"


class ClusterKey:
    """A key. `variable` names the file that it comes from, `path` is that file."""

    def __init__(self, variable: str, path: str, secret: str) -> None:
        if len(secret) < _LEAST:
            raise UsageError(f"the key in {path} is shorter than {_LEAST} characters; make one: openssl rand -hex 32")
        self.variable = variable
        self.path = path
        self._secret = secret.encode("utf-8", "surrogateescape")

    def sign(self, text: str) -> str:
        return hmac.digest(self._secret, text.encode("utf-8", "surrogatepass"), "sha256").hex()

    def has_signed(self, text: str, signature: object) -> bool:
        return isinstance(signature, str) and hmac.compare_digest(
            self.sign(text).encode(), signature.encode("utf-8", "replace")
        )

    def seal(self, document: Mapping[str, Any]) -> dict[str, str]:
        """Sign a document as text, because a carrier may reorder its keys."""
        body = dumps(document)
        return {_BODY: body, _SIGNATURE: self.sign(body)}

    def unseal(self, sealed: object, noun: str) -> dict[str, Any]:
        """Return what was signed with this key; raise Conflict for anything else."""
        body = sealed.get(_BODY) if isinstance(sealed, dict) else None
        if not isinstance(sealed, dict) or not isinstance(body, str):
            raise Conflict(f"refused {noun}: it is not signed")
        if not self.has_signed(body, sealed.get(_SIGNATURE)):
            raise Conflict(
                f"{noun} is signed with another key than {self.path}; give all machines the same file,"
                f" see {self.variable}"
            )
        document = loads(body)
        return document if isinstance(document, dict) else {}

    def seal_report(self, of: str, document: Mapping[str, Any]) -> dict[str, str]:
        """Sign what a machine says of an attempt; `of` is its key, empty before a job was read."""
        return self.seal({_OF: of, **document})

    def unseal_report(self, sealed: object, of: str, noun: str) -> dict[str, Any]:
        """Return what was signed of this attempt; raise Conflict for that of another one."""
        document = self.unseal(sealed, noun)
        if document.pop(_OF, None) not in (of, ""):
            raise Conflict(f"refused {noun}: it is of another attempt")
        return document


def read_key(environ: Mapping[str, str], variable: str, root: str = "") -> ClusterKey:
    """Return the key from the file that the variable names, else from the state folder (`root`), created if missing."""
    given = environ.get(variable, "")
    path = given or f"{root or find_home(environ).root}/cluster/{_NAMES[variable]}"
    if not given and not os.path.exists(path):
        _make_key(path)
    try:
        with open(path, encoding="utf-8") as file:
            return ClusterKey(variable, path, file.read().strip())
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise NotFound(f"{variable}: could not read {quote(path)} ({reason})") from None


def _make_key(path: str) -> None:
    """Create a key; if two programs do so at once, the first one's stays."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    made = f"{path}.{os.urandom(8).hex()}"
    handle = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(handle, "w", encoding="utf-8") as file:
        file.write(os.urandom(_BYTES).hex() + "\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(made, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(made)
