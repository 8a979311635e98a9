"""What a person may wish of a planned session, wherever it is typed: the flag, the option, the least number."""

SWITCHES = {
    "--auto": "auto_mode",
    "--skip-verify": "skip_verify",
    "--plan-only": "plan_only",
    "--barrier": "barrier",
}
NUMBERS = {"--max-workers": ("max_workers", 0), "--max-iterations": ("max_iterations", 1)}
MOST = 10_000
