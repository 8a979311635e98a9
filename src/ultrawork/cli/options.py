"""Flags that become options of a session, the same for every verb that begins or takes up one."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .flags import Args

SWITCHES = {
    "--auto": "auto_mode",
    "--skip-verify": "skip_verify",
    "--plan-only": "plan_only",
    "--barrier": "barrier",
}
NUMBERS = {"--max-workers": ("max_workers", 0), "--max-iterations": ("max_iterations", 1)}
_MOST = 10_000


def given(args: "Args") -> dict[str, object]:
    options: dict[str, object] = {key: True for flag, key in SWITCHES.items() if args.on(flag)}
    for flag, (key, low) in NUMBERS.items():
        number = args.number(flag, low=low, high=_MOST)
        if number is not None:
            options[key] = number
    return options
