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
    "NODE_TEST_CONTEXT",
    "testing.Testing()",
    'flag.Lookup("test.',
    "cfg!(test)",
    "cfg(not(test))",
)
# What a program can look at to find a test above it: the stack, its own arguments.
_STACK = (
    "inspect.stack(",
    "sys._getframe(",
    "inspect.currentframe(",
    "new Error().stack",
    "traceback.extract_stack(",
    "sys.argv",
    "process.argv",
    "os.Args",
)
_TEST_WORDS = (
    "test_", '"test', "'test", ".test", "pytest", "unittest", "jest", "vitest", "mocha",
)  # fmt: skip


def sign(line: str) -> str:
    """What in a line asks whether a test is running; empty if nothing does."""
    for one in SIGNS:
        if one in line:
            return one
    looks_up = next((one for one in _STACK if one in line), "")
    return looks_up if looks_up and any(word in line for word in _TEST_WORDS) else ""
