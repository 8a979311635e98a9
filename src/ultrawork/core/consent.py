"""What a hook may run by itself: never further than the person has allowed."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Modes in which the client lets every command pass.
OPEN_MODES = ("bypassPermissions",)
# Signs that make more than one command of a line: a rule with a wildcard does not cover them.
_CHAINS = (";", "&", "|", "`", "$(", ">", "<", "\n")
_WILDCARDS = (":*", " *", "*")


def covers(
    mode: str,
    command: str,
    *,
    allowed: bool = False,
    known: "Iterable[str]" = (),
    sandboxed: bool = False,
) -> bool:
    """
    Whether a hook may run a command: the session's mode lets every command pass, or this one was
    allowed, or is known to pass. Outside a sandbox it would reach further than inside: there it never may.
    """
    return not sandboxed and (mode in OPEN_MODES or allowed or command in known)


def ruled(command: str, *, allow: "Iterable[str]", refuse: "Iterable[str]") -> bool:
    """Whether the client's own permission rules let this command pass without a question."""
    return not any(_may_match(rule, command) for rule in refuse) and any(
        _matches(rule, command) for rule in allow
    )


def _matches(rule: str, command: str) -> bool:
    """`Bash(make test)` and `Bash(make:*)`; a rule with a wildcard never covers a chained command."""
    if rule == "Bash":
        return True
    if not rule.startswith("Bash(") or not rule.endswith(")"):
        return False
    pattern = rule[5:-1]
    ending = next((one for one in _WILDCARDS if pattern.endswith(one)), "")
    if not ending:
        return pattern == command
    prefix = pattern[: -len(ending)]
    rest = command[len(prefix) :]
    ends_a_word = not rest or rest[0] == " " or ending == "*"
    plain = "*" not in prefix and not any(sign in command for sign in _CHAINS)
    return plain and command.startswith(prefix) and ends_a_word


def _may_match(rule: str, command: str) -> bool:
    """Generous: in doubt a rule that asks or denies is meant."""
    if not rule.startswith("Bash"):
        return False
    pattern = rule.removeprefix("Bash").strip("()").partition("*")[0].rstrip(": ")
    return not pattern or pattern in command
