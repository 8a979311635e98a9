"""Flags that become options of a session, the same for every verb that starts or resumes one."""

from ..core.session.session import OPTION_LIMIT, OPTION_NUMBERS, OPTION_SWITCHES
from .flags import Args


def read(args: Args) -> dict[str, object]:
    options: dict[str, object] = {key: True for flag, key in OPTION_SWITCHES.items() if args.on(flag)}
    for flag, (key, low) in OPTION_NUMBERS.items():
        number = args.number(flag, low=low, high=OPTION_LIMIT)
        if number is not None:
            options[key] = number
    return options
