"""Product code that looks whether a test is running: what it does otherwise, no test can tell."""

SIGNS = (
    "PYTEST_CURRENT_TEST",
    '"pytest" in sys.modules',
    "'pytest' in sys.modules",
    '"unittest" in sys.modules',
    "'unittest' in sys.modules",
    "JEST_WORKER_ID",
    "process.env.VITEST",
    "import.meta.vitest",
    'NODE_ENV === "test"',
    "NODE_ENV === 'test'",
    'NODE_ENV == "test"',
    "NODE_ENV == 'test'",
    "testing.Testing()",
    "cfg!(test)",
)
_STACK = ("inspect.stack(", "sys._getframe(", "new Error().stack", "traceback.extract_stack(")
_TEST_WORDS = ("test_", '"test', "'test", 'startswith("test', ".test.")


def sign(line: str) -> str:
    """What in a line asks whether a test is running; empty if nothing does."""
    for one in SIGNS:
        if one in line:
            return one
    looks_up = next((one for one in _STACK if one in line), "")
    return looks_up if looks_up and any(word in line for word in _TEST_WORDS) else ""
