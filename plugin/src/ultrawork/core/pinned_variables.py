"""
Give checks the environment of the client's start, without what a tool's shell adds or changes.

Variables that control programs are stored by value and restored. Of all others only a digest is stored, which shows
whether a run had the same ones without storing secrets.
"""

from collections.abc import Callable, Mapping

from .agent_variables import PREFIXES
from .value import Value, fresh

# Variables that decide which program runs, what it loads and how it is configured.
_STEERING = frozenset(
    (
        "PATH", "HOME", "ENV", "BASH_ENV", "SHELLOPTS", "BASHOPTS", "CDPATH", "IFS", "PS4", "CI", "TZ", "LANG",
        "XDG_CONFIG_HOME", "XDG_DATA_HOME",
    )
)  # fmt: skip
_STEERING_PREFIXES = ("LD_", "DYLD_", "GIT_", "LC_", "BASH_FUNC_", "ULTRAWORK_")
# Ours, and irrelevant for checks: the state folder, the interpreter, what is skipped, whose run it is.
_OURS = ("ULTRAWORK_HOME", "ULTRAWORK_PYTHON", "ULTRAWORK_DISABLE", "ULTRAWORK_SKIP_HOOKS", "ULTRAWORK_RUN", "ULTRAWORK_CONFINED")  # fmt: skip
# They differ between shells and change no result.
_IDLE = ("PWD", "OLDPWD", "SHLVL", "_", "COLUMNS", "LINES", "SHELL", "DISPLAY", "COLORTERM", "EDITOR", "PAGER", "TMPDIR")  # fmt: skip
_IDLE_PREFIXES = (
    "TERM", "SSH_", "TMUX", "STY", "WINDOWID", "WAYLAND_", "XAUTH", "XDG_", "DBUS_", "VSCODE_", "ITERM_",
    "AI_AGENT", "OTEL_", "INVOCATION_", "JOURNAL_", *PREFIXES,
)  # fmt: skip
_SECRET = ("TOKEN", "KEY", "SECRET", "PASS", "AUTH", "CREDENTIAL", "_URL", "_URI", "_DSN")


class Restored(Value):
    """`environ` as gates get it; `differing` are variables that are not what they were and cannot be put back."""

    environ: dict[str, str]
    differing: list[str] = fresh(list)


def is_steering(name: str) -> bool:
    if name in _OURS or any(part in name.upper() for part in _SECRET):
        return False
    if name in _STEERING or name.startswith(_STEERING_PREFIXES):
        return True
    from .toolchains.toolchain import get_built_in

    listed = get_built_in().gather("steering")
    return name in listed or any(name.startswith(pattern[:-1]) for pattern in listed if pattern[-1] == "*")


def _is_idle(name: str) -> bool:
    return name in _OURS or name in _IDLE or name.startswith(_IDLE_PREFIXES)


def split_variables(environ: Mapping[str, str], digest: Callable[[str], str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return variables stored by value, and those stored only as a digest."""
    variables = {name: value for name, value in environ.items() if is_steering(name)}
    digests = {
        name: digest(value)[:16] for name, value in environ.items() if name not in variables and not _is_idle(name)
    }
    return variables, digests


def restore_variables(
    environ: Mapping[str, str], variables: Mapping[str, str], digests: Mapping[str, str], digest: Callable[[str], str]
) -> Restored:
    """Return the variables of the start, as far as available; new ones are left out."""
    kept = {name: value for name, value in environ.items() if name in digests or _is_idle(name)}
    differing = [name for name, stored_digest in digests.items() if digest(environ.get(name, ""))[:16] != stored_digest]
    return Restored({**kept, **variables}, sorted(differing))
