"""Several sessions of one machine at once, played by real events: what pictures of the screens show."""

import os

from .play import FILES, Play, entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_CHECKED = {
    "Makefile": "test:\n\t@python3 -m unittest -q test_price\n",
    "price.py": "def total(prices):\n    return sum(prices)\n",
    "test_price.py": (
        "import unittest\nfrom price import total\n\n\nclass TestTotal(unittest.TestCase):\n"
        "    def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n"
    ),
}
_PLAN = (
    entry("parser", subject="Read the new date format"),
    entry("report", "parser", subject="Print dates in the report"),
    entry("export", "parser", subject="Write dates to the CSV export"),
    entry("docs", "report", "export", subject="Describe the date format"),
)


class Actor(Play):
    """One session with a name, an id and a project of its own, in a state folder that all actors share."""

    def __init__(self, root: str, project: str, name: str, files: "Mapping[str, str] | None" = None) -> None:
        super().__init__(f"{root}/{project}-scene", files)
        os.rename(self.place, f"{self.root}/{project}")
        self.place = f"{self.root}/{project}"
        self.home = f"{os.path.realpath(root)}/state"
        self.name = f"{name}-0000-4000-8000-000000000001"
        self.environ |= {"ULTRAWORK_HOME": self.home, "CLAUDE_CODE_SESSION_ID": self.name}

    def event(self, name: str, **data: "Any") -> "dict[str, Any]":
        return super().event(name, **{"session_id": self.name, **data})


class Stage:
    """`shop` waits for an answer, `dates` works on a plan, `prices` is done, `api` disputes a test."""

    def __init__(self, root: str) -> None:
        os.makedirs(root, exist_ok=True)
        self.prices = Actor(root, "prices", "0c41be77", _CHECKED)
        self.prices.prompt("ulw round the total to cents")
        self.prices.edit("price.py", "def total(prices):\n    return round(sum(prices), 2)\n")
        self.prices.edit(
            "test_price.py",
            _CHECKED["test_price.py"]
            + "\n    def test_cents(self):\n        self.assertEqual(total([0.1, 0.2]), 0.3)\n",
        )
        self.prices.stop("Done. The total is rounded, and test_cents shows it.")
        self.api = Actor(root, "api", "b91d0e52", _CHECKED)
        self.api.prompt("ulw make total() ignore refunds")
        self.api.edit("price.py", "def total(prices):\n    return sum(p for p in prices if p > 1)\n")
        self.api.stop("I stop here.\nBLOCKED: test test_total is wrong: a price of 1 is a refund")
        self.dates = Actor(root, "dates", "3fd2a6c8", FILES)
        self.dates.begin("--auto support ISO dates everywhere")
        self.dates.planned(_PLAN)
        self.dates.worked("parser")
        self.working = self.dates.agent("worker", "report")
        self.dates.tool("Bash", {"command": "make test"}, agent_id=self.working)
        self.shop = Actor(root, "shop", "7f3a51c2", _CHECKED)
        self.shop.prompt("ulw fix the login bug")
        self.shop.event("Notification", notification_type="permission_prompt", message="Run npm install?")
        self.home = self.shop.home
