"""What a hook may run by itself: never further than the person has allowed."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Modes in which the client lets every command pass.
OPEN_MODES = ("bypassPermissions",)


def covers(
    mode: str, command: str, *, allowed: bool, rules: "Sequence[str]" = (), sandboxed: bool = False
) -> bool:
    """Whether the session's mode, an earlier approval, or a rule of the client covers a command."""
    if sandboxed:
        return False
    return mode in OPEN_MODES or allowed or any(_matches(rule, command) for rule in rules)


def _matches(rule: str, command: str) -> bool:
    """`Bash(make test)` and `Bash(make:*)`; a rule with a wildcard never covers a chained command."""
    if not rule.startswith("Bash(") or not rule.endswith(")"):
        return rule == "Bash"
    pattern = rule[5:-1]
    for ending in (":*", " *", "*"):
        if pattern.endswith(ending):
            prefix = pattern[: -len(ending)]
            plain = not any(sign in command for sign in (";", "&", "|", "`", "$(", ">", "<", "\n"))
            rest = command[len(prefix) :]
            return (
                plain
                and command.startswith(prefix)
                and (not rest or rest[0] == " " or ending == "*")
            )
    return pattern == command
