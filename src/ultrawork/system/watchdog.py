"""
Ends a program when we are gone, however we went.

A shell in a session of its own waits on a pipe whose other end only we hold; the kernel closes it
even on SIGKILL. It knows the token before the program starts, so no moment is unwatched.
"""

import os

from ..core.errors import Trouble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen

_SCRIPT = """
read -r group
read -r _
for signal in TERM KILL; do
  if [ -n "$group" ]; then kill -s $signal -- "-$group"; fi
  for file in $(grep -ls -- "$1" /proc/[0-9]*/environ); do
    pid=${file#/proc/}
    kill -s $signal "${pid%/environ}"
  done
  if [ $signal = TERM ]; then sleep 1; fi
done
"""


class Watchdog:
    __slots__ = ("_hold", "_shell")

    def __init__(self, token: str) -> None:
        import subprocess

        end, self._hold = os.pipe()
        try:
            self._shell: Popen[bytes] = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT, "ultrawork-watchdog", token],
                stdin=end,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={"PATH": "/usr/bin:/bin"},
                start_new_session=True,
            )
        except OSError as error:
            os.close(self._hold)
            raise Trouble(f"/bin/sh could not be started: {error.strerror}") from error
        finally:
            os.close(end)

    def watch(self, group: int) -> None:
        try:
            os.write(self._hold, b"%d\n" % group)
        except BrokenPipeError:  # somebody ended it; the run itself is not worse for that
            pass

    def dismiss(self) -> None:
        self._shell.kill()
        self._shell.wait()
        os.close(self._hold)
