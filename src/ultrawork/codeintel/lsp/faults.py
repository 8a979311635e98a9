"""
What can go wrong with a language server.

    Trouble
    ├── Ended    it is no longer there
    ├── Silent   it said nothing while we waited: it hangs
    ├── Slow     it is at work, but the answer did not come in time
    └── Refused  it answered with an error
"""

from ...core.errors import Trouble


class Ended(Trouble):
    code = "server-ended"


class Silent(Trouble):
    code = "server-silent"


class Slow(Trouble):
    code = "server-slow"


class Refused(Trouble):
    code = "server-refused"

    def __init__(self, sentence: str, number: int) -> None:
        super().__init__(sentence)
        self.number = number
