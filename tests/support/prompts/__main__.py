"""Write the heads, the shared texts and the families of `plugin/agents/` and `plugin/skills/` anew."""

import sys

from support.floor import REPOSITORY

from . import library, list_complaints, sync


def main() -> int:
    members = library.load(REPOSITORY)
    for path in sync.write(members):
        print(f"wrote {path}")
    complaints = list_complaints(library.load(REPOSITORY))
    print("\n".join(map(repr, complaints)), end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
