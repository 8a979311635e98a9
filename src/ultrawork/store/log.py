"""What went wrong inside, for those who mend it: one file a part of the program, turned over at 1 MB."""

import os
from time import gmtime, strftime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .paths import Home

_LIMIT = 1_000_000


def write(home: "Home", part: str, text: str) -> str:
    """Appends with one write, so that lines of several programs never mix; gives the file's name."""
    os.makedirs(home.logs, mode=0o700, exist_ok=True)
    path = f"{home.logs}/{part}.log"
    stamp = strftime("%Y-%m-%dT%H:%M:%SZ", gmtime())
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    try:
        os.write(handle, f"{stamp} {os.getpid()} {text.rstrip()}\n".encode("utf-8", "replace"))
        if os.fstat(handle).st_size > _LIMIT:
            os.replace(path, path + ".1")
    finally:
        os.close(handle)
    return path
