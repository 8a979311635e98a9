"""What the library is made of: agents, skills, profiles, and what is wrong with them."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Slots = Mapping[str, str | Sequence[str]]

AGENT = "agent"
SKILL = "skill"


class Member:
    """A row of the roster. `family` is empty for one whose words are written by hand."""

    kind = ""
    place = "{}"
    __slots__ = ("family", "fragments", "lane", "name", "slots", "trigger")

    def __init__(
        self,
        name: str,
        *,
        lane: str,
        trigger: str,
        fragments: "Sequence[str]" = (),
        family: str = "",
        slots: "Slots | None" = None,
    ) -> None:
        self.name = name
        self.lane = lane
        self.trigger = trigger
        self.fragments = tuple(fragments)
        self.family = family
        self.slots: Slots = slots or {}

    @property
    def path(self) -> str:
        return self.place.format(self.name)

    @property
    def listed(self) -> bool:
        """Whether the model is told of it in every session."""
        return True


class Agent(Member):
    """`tier` names a model, `profile` a set of tools."""

    kind = AGENT
    place = "agents/{}.md"
    __slots__ = ("profile", "tier")

    def __init__(
        self,
        name: str,
        *,
        lane: str,
        trigger: str,
        tier: str,
        profile: str,
        fragments: "Sequence[str]" = (),
        family: str = "",
        slots: "Slots | None" = None,
    ) -> None:
        super().__init__(
            name, lane=lane, trigger=trigger, fragments=fragments, family=family, slots=slots
        )
        self.tier = tier
        self.profile = profile


class Skill(Member):
    """
    `person`: only a person starts it. `hook`: the hook does its work, the text is what is left to say.
    `hint` shows the arguments, `allow` are tools that need no permission while it runs.
    """

    kind = SKILL
    place = "skills/{}/SKILL.md"
    __slots__ = ("allow", "hint", "hook", "person")

    def __init__(
        self,
        name: str,
        *,
        lane: str,
        trigger: str,
        person: bool = False,
        hook: bool = False,
        hint: str = "",
        allow: "Sequence[str]" = (),
        fragments: "Sequence[str]" = (),
        family: str = "",
        slots: "Slots | None" = None,
    ) -> None:
        super().__init__(
            name, lane=lane, trigger=trigger, fragments=fragments, family=family, slots=slots
        )
        self.person = person
        self.hook = hook
        self.hint = hint
        self.allow = tuple(allow)

    @property
    def listed(self) -> bool:
        return not self.person


class Profile:
    """The tools of an agent: exactly `tools`, or all but `without`."""

    __slots__ = ("name", "tools", "without")

    def __init__(
        self, name: str, *, tools: "Sequence[str]" = (), without: "Sequence[str]" = ()
    ) -> None:
        self.name = name
        self.tools = tuple(tools)
        self.without = tuple(without)


class Complaint:
    """One thing that is wrong: where, by which rule, and what to do about it."""

    __slots__ = ("path", "rule", "what")

    def __init__(self, path: str, rule: str, what: str) -> None:
        self.path = path
        self.rule = rule
        self.what = what

    def __repr__(self) -> str:
        return f"{self.path}: {self.what}"

    def document(self) -> dict[str, str]:
        return {"path": self.path, "rule": self.rule, "what": self.what}
