"""Flags that become options of a session, the same for every verb that begins or takes up one."""

from ..core.options import MOST, NUMBERS, SWITCHES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .flags import Args


def given(args: "Args") -> dict[str, object]:
    options: dict[str, object] = {key: True for flag, key in SWITCHES.items() if args.on(flag)}
    for flag, (key, low) in NUMBERS.items():
        number = args.number(flag, low=low, high=MOST)
        if number is not None:
            options[key] = number
    return options
