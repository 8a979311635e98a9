"""`ultrawork axiom …`, memory: find, note, propose, accept, import from the pages, export."""

import os
import zipfile

from ....cli.command import Result, split_list
from ....cli.environment import PERSON, Args, VerbEnvironment
from ....core.check import clean_text, quote, require_choice
from ....core.errors import Conflict, UsageError
from ....store import checkouts
from .. import report as screens
from ..course import memory as axiom_memory
from ..store import ledger, page_edits, proposals
from ..store import pages as shown
from ..values import memory, queue
from ..values import pages as layout
from ..values.memory import MemoryEntry
from ..values.queue import Proposal

_WAY = "in the client, type: /ultrawork:ax-evolve accept ID"


def note(args: Args, env: VerbEnvironment) -> Result:
    """Add an entry: a user's becomes memory at once; an agent's is a proposal."""
    title = clean_text(" ".join(args.rest), "entry", memory.TITLE_LIMIT)
    kind = require_choice(args.text("--kind") or memory.KNOWLEDGE, memory.PREFIXES, "kind of entry")
    text = env.read(args.text("--text") or "", "text")
    files = split_list(args.text("--files"))
    axiom_memory.require_files(env.place, files)
    anchors = axiom_memory.make_anchors(env.place, files, args.text("--command") or "")
    entry = {"kind": kind, "title": title, "text": text, "category": args.text("--category") or ""}
    if not _is_person(env):
        wanted = Proposal("", queue.LESSON, queue.ADD, entry={**entry, "anchors": [a.document() for a in anchors]})
        made = axiom_memory.propose(env.store, env.place, wanted)
        sentence = f"{made.id} needs your approval: ultrawork axiom accept {made.id}"
        return Result({"proposal": made.document()}, sentence)
    anchors.append(memory.Anchor(memory.PERSON, queue.make_day(env.store.now()), "terminal"))
    kept = axiom_memory.note(
        env.store, env.place, MemoryEntry("", kind, title, text, entry["category"], anchors=anchors), why="terminal"
    )
    return Result({"entry": kept.document()}, f"{kept.id}: {kept.title}")


def _is_person(env: VerbEnvironment) -> bool:
    try:
        return env.store.actor == PERSON and bool(env.require_person("notes", _WAY))
    except Conflict:
        return False


def evolve(args: Args, env: VerbEnvironment) -> Result:
    """Show the next three; with --yes those with receipts become memory, and nothing else."""
    database, book = env.store.database, ledger.name_ledger(env.place)
    waiting = queue.list_open_proposals(proposals.list_all(database, book, queue.PENDING))
    proofs = {proposal.id: axiom_memory.list_genuine(database, proposal) for proposal in waiting}
    shown_by = {proposal.id: queue.is_supported(proposal, proofs[proposal.id]) for proposal in waiting}
    taken = []
    if args.on("--yes"):
        for proposal in [candidate for candidate in waiting if shown_by[candidate.id]][: queue.BATCH]:
            entry = axiom_memory.accept(env.store, env.place, proposal.id, by_person=False)
            taken.append({"proposal": proposal.id, "entry": entry.id})
        axiom_memory.check_anchors(env.store, env.place)
    done = {row["proposal"] for row in taken}
    left = [candidate for candidate in waiting if candidate.id not in done]
    lines = [f"{row['proposal']} became {row['entry']}, supported by its receipts" for row in taken]
    batch = queue.choose_batch(left)
    data = {"taken": taken, "next": [{**candidate.document(), "shown": shown_by[candidate.id]} for candidate in batch]}
    return Result(data, "\n".join([*lines, screens.render_proposals(batch, shown_by)]))


def accept(args: Args, env: VerbEnvironment) -> Result:
    terminal = env.require_person("can accept proposals", _WAY)
    made = [axiom_memory.accept(env.store, env.place, name, by_person=True, how=terminal) for name in _names(args)]
    text = "\n".join(f"{memory_entry.id}: {memory_entry.title}" for memory_entry in made)
    return Result({"entries": [memory_entry.document() for memory_entry in made]}, text)


def refuse(args: Args, env: VerbEnvironment) -> Result:
    terminal = env.require_person("can reject proposals", "in the client, type: /ultrawork:ax-evolve refuse ID")
    gone = [axiom_memory.refuse(env.store, env.place, name, how=terminal).id for name in _names(args)]
    return Result({"refused": gone}, f"refused: {', '.join(gone)}")


def doubt(args: Args, env: VerbEnvironment) -> Result:
    """Lower an entry that misled someone; below 0.5 it is no longer shown."""
    env.require_person("can doubt an entry", "explain why in the client")
    if not args.rest:
        raise UsageError("name the entry, such as k-001, and why")
    why = " ".join(args.rest[1:]) or "misleading"
    entry = axiom_memory.doubt(env.store, env.place, args.rest[0], why=why)
    return Result({"entry": entry.document()}, f"{entry.id}: {entry.confidence:.2f}, {entry.status}")


def _names(args: Args) -> list[str]:
    names = [name for word in args.rest for name in split_list(word)]
    if not names:
        raise UsageError("name a proposal, such as Q-001; list them: ultrawork axiom evolve")
    return names


def sync(args: Args, env: VerbEnvironment) -> Result:
    """Show what was written on the pages by hand, and import it with the user's consent."""
    edited_pages = page_edits.list_edited_pages(env.store.database, env.place)
    lines = screens.list_page_edits(edited_pages)
    data = {"edited": [_describe(page) for page in edited_pages]}
    if not edited_pages:
        return Result(data, "the pages have no manual edits")
    if not args.on("--yes") and not args.on("--only"):
        return Result(data, "\n".join([*lines, "import them: ultrawork axiom sync --yes, or add --only ID,ID"]))
    terminal = env.require_person("can import manual edits", "run it there")
    done = axiom_memory.take_edits(env.store, env.place, split_list(args.text("--only")), how=terminal)
    texts = [f"imported: {', '.join(done.taken) or 'nothing'}"]
    texts += [f"saved as {path}" for path in done.aside]
    return Result({**data, "result": done.document()}, "\n".join(texts))


def _describe(page: page_edits.EditedPage) -> dict[str, object]:
    return {
        "page": page.name,
        "edits": [edit.document() for edit in page.edits],
        "garbled": [{"piece": piece, "why": why} for piece, why in page.garbled],
    }


def check_memory(_args: Args, env: VerbEnvironment) -> Result:
    """Check every anchor again: what holds, what moved, what expired."""
    holding, worn = axiom_memory.check_anchors(env.store, env.place)
    stale = axiom_memory.list_stale_entries(env.store.database, env.place)
    lines = [f"{len(holding)} valid, {len(stale)} stale, {len(worn)} expired"]
    lines += [f"{memory_entry.id} {memory_entry.title}: {why}" for memory_entry, why in stale[:20]]
    data = {
        "holding": holding,
        "worn": worn,
        "stale": [{"id": memory_entry.id, "why": why} for memory_entry, why in stale],
    }
    return Result(data, "\n".join(lines))


def export(args: Args, env: VerbEnvironment) -> Result:
    """Export a zip of the pages; with --full also the papers of all requirements."""
    path = args.rest[0] if args.rest else "axiom-export.zip"
    target = os.path.join(env.cwd, path)
    if os.path.exists(target):
        raise UsageError(f"{quote(path)} already exists; name another file")
    top = os.path.realpath(checkouts.find_owner(env.place))
    folder = f"{top}/{layout.FOLDER}"
    if os.path.realpath(folder) != folder:
        raise Conflict(f"{layout.FOLDER} is a link; its target is not exported")
    names = []
    with zipfile.ZipFile(target, "x", zipfile.ZIP_DEFLATED) as archive:
        for here, folders, files in os.walk(folder):
            folders[:] = [subfolder for subfolder in folders if args.on("--full") or subfolder != shown.REQUIREMENTS]
            for name in sorted(files):
                if os.path.islink(os.path.join(here, name)):
                    continue  # a link may lead to a file that is not one of our pages
                inner = os.path.relpath(os.path.join(here, name), folder)
                archive.write(os.path.join(here, name), f"axiom/{inner}")
                names.append(inner)
    return Result({"file": target, "pages": names}, f"{path}: {len(names)} pages")
