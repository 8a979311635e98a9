"""`ultrawork axiom knowledge`: what is known, ranked, with what it rests on; alone, so that it is quick."""

from ....cli.command import Result
from ....cli.environment import Args, VerbEnvironment
from ....core.check import require_choice
from ..course import recall as axiom_recall
from ..store import entries, ledger
from ..values import memory
from ..values.telling import render_entries


def show_knowledge(args: Args, env: VerbEnvironment) -> Result:
    """Show what matches the words, ranked; without words everything, newest first."""
    database, book = env.store.database, ledger.name_ledger(env.place)
    kind = args.text("--kind")
    kinds = [require_choice(kind, memory.PREFIXES, "kind of entry")] if kind else []
    most = args.number("--limit", low=1, high=1000) or 20
    words = " ".join(args.rest)
    memory_entries = (
        entries.search(database, book, words, kinds=kinds, most=most)
        if words
        else entries.list_all(database, book, kinds)[-most:][::-1]
    )
    facts = axiom_recall.gather_facts(database, env.place, memory_entries)
    states = {memory_entry.id: memory.judge_entry(memory_entry, facts) for memory_entry in memory_entries}
    stale = {name: state for name, state in states.items() if state != memory.HOLDS}
    data = [{**memory_entry.document(), "anchor": states[memory_entry.id]} for memory_entry in memory_entries]
    return Result({"entries": data}, render_entries(memory_entries, stale))
