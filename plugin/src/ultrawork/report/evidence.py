"""What is proved: the last verdict and its receipts, for the screen and as text for a pull request, which `ultrawork
evidence check` reads back."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..core.course.judges import list_judge_notes
from ..core.errors import NotFound
from ..core.modes.record import read_all
from ..core.prompt.composition import judge_parts
from ..core.session.session import CHECKOUT, Session
from ..core.times import format_duration, format_iso
from ..core.verdict.gate_run import BROKEN, FAILED, quote_name
from ..core.verdict.summary import EXPECTATION_RULES, WIDTH, describe_counts, describe_strength, name_verdict
from ..core.verdict.verdict import STRONG, WEAK
from ..core.verdict_values import PASS
from ..core.wording import count_things, cut, escape_markdown, join_lines, quote_code
from ..store import receipts
from ..store.database import Database
from ..store.decisions import StoredDecision
from ..store.store import Store
from .summary import find_goal_verdict, list_refusals, read_ending, summarize
from .why import read_cause

Document = dict[str, Any]

_SHORT = 7
_ID = 8
_GOAL = 37
# What a stop calls its findings.
_LEVELS = {STRONG: "failing", WEAK: "open"}
TARGETS = {
    "base": "on the baseline",
    "review": "a reviewer's command",
    "old-tests": "old tests on new code",
    "new-tests": "new tests on old code",
    "pinned": "as it was defined",
    "canary": "with a planted failure",
    "unsuppressed": "without new suppressions",
    "planted": "with planted faults",
    "again": "on old code, again",
    "related": "tests that cover it",
}


def render(verdict: Document, receipts: Sequence[Document], refusals: Sequence[Document]) -> str:
    """Return the last verdict with everything behind it."""
    description = describe_strength(verdict)
    lines = [_head(verdict), *([f"{'strength':<9}{description}"] if description else []), _tree(verdict)]
    if verdict.get("approved_by"):
        lines.append(f"{'yes':<9}{verdict['approved_by']}")
    lines += [f"{'composed':<9}{_describe_part(part)}" for part in verdict.get("composition") or ()]
    lines += [_gate_row(run) for run in list_gate_runs(verdict, receipts)]
    lines += [_scratch_row(run, verdict) for run in list_scratch_runs(verdict, receipts)]
    lines += [_finding(finding) for finding in verdict["findings"]]
    lines += [f"{'note':<9}verifier: {text}" for text in verdict.get("verifier_notes") or ()]
    lines += [f"{'unknown':<9}{text}" for text in _unknown(verdict)]
    lines += [f"{'accepted':<9}{text}" for text in verdict["accepted"]]
    lines += _describe_continued(verdict.get("continues"))
    lines += [f"{refusal['at']:<9}{refusal['what']}" for refusal in refusals]
    return "\n".join(cut(line.rstrip(), WIDTH) for line in lines)


def _describe_continued(earlier: Document | None) -> list[str]:
    """Return the request whose unverified files this one includes."""
    if not earlier:
        return []
    text = "; ".join(earlier["open"]) or ", ".join(earlier["paths"])
    return [cut(f"continues {earlier['verdict']} of {earlier['session'][:8]}: {text}", WIDTH)]


def _describe_part(part: Document) -> str:
    return f"{part['name']} ({part['layer']}): {part['state']}, {part['what']}"


def list_gate_runs(verdict: Document, receipts: Sequence[Document]) -> list[Document]:
    """Return the runs behind the checks, in order."""
    numbers = [gate.get("receipt") for gate in verdict["gates"].values()]
    known = {receipt["id"]: receipt for receipt in receipts}
    return [known[number] for number in numbers if number in known]


def list_scratch_runs(verdict: Document, receipts: Sequence[Document]) -> list[Document]:
    """Return further runs, the last of each kind."""
    numbers = set(verdict.get("receipts", ()))
    used = [receipt for receipt in receipts if receipt["id"] in numbers and receipt["run"]["on"] in TARGETS]
    last = {(receipt["gate"]["name"], receipt["run"]["on"]): receipt for receipt in used}
    return list(last.values())


def _head(verdict: Document) -> str:
    sent_back = {0: "", 1: ", sent back once"}.get(verdict["refusals"], f", sent back {verdict['refusals']} times")
    value = f"{verdict.get('ending') or verdict['verdict']:<8} "
    goal = cut(join_lines(verdict["goal"]), _GOAL)
    session = verdict["session"].removeprefix("verify-")[:_ID]
    when = f"{session}  {verdict['decided'][11:16]}"
    return f"{value}{goal:<{_GOAL + 2}}{when}  {format_duration(verdict['seconds'])}{sent_back}"


def _tree(verdict: Document) -> str:
    changed = verdict["changed"]
    commit = f"commit {verdict['commit'][:_SHORT]}" if verdict["commit"] else "not committed"
    return (
        f"{'tree':<9}{verdict['tree'][:_SHORT]} {commit}; baseline {verdict['base'][:_SHORT]}; "
        f"{count_things(changed['files'], 'file')}, +{changed['added']} -{changed['removed']}"
    )


def _gate_row(receipt: Document) -> str:
    text = f"{_name_result(receipt):<8}{_all_counts(receipt)}"
    command = cut(join_lines(receipt["gate"]["command"]), 24)
    return f"{cut(receipt['gate']['name'], 8):<9}{text:<34} {command:<25}{_ending(receipt)}"


def _scratch_row(receipt: Document, verdict: Document) -> str:
    run = f"{TARGETS[receipt['run']['on']]:<23}{_name_result(receipt)}"
    noticed = verdict["noticed_by"] or []
    names = [name for name in (receipt["tests"] or {}).get(FAILED, []) if name in noticed]
    if names and receipt["run"]["on"] in ("new-tests", "base"):
        more = f" and {len(names) - 1} more" if names[1:] else ""
        verb = "notice" if more else "notices"
        text = cut(f"{quote_name(names[0])}{more} {verb} this change", 50)
        return f"{'':<9}{run:<34} {text}  #{receipt['id']}"
    shown = f"{run:<34} {_all_counts(receipt)}"
    return f"{'':<9}{shown:<60}{_ending(receipt)}"


def _name_result(receipt: Document) -> str:
    return "could not run" if receipt["result"] == BROKEN else str(receipt["result"])


def _ending(receipt: Document) -> str:
    run = receipt["run"]
    return f"{format_duration(run['seconds']):<10}{run['by']:<8}#{receipt['id']}"


def _all_counts(receipt: Document) -> str:
    skipped = (receipt["tests"] or {}).get("skipped")
    counts = describe_counts(receipt)
    return f"{counts}, {skipped} skipped" if counts and skipped else counts


def _finding(finding: Document) -> str:
    gate = f"{finding['gate']}: " if finding.get("gate") else ""
    text = join_lines(finding["what"])
    sentence = text if text.startswith(gate.rstrip(": ")) else gate + text
    receipt = f"  #{finding['receipt']}" if finding.get("receipt") else ""
    where = f"  {finding['where']}" if finding.get("where") else ""
    room = WIDTH - 9 - len(receipt)
    return f"{_LEVELS.get(finding['level'], finding['level']):<9}{cut(sentence + where, room)}{receipt}"


def _unknown(verdict: Document) -> list[str]:
    """Return what is not checked and not already a finding."""
    texts = {finding["what"] for finding in verdict["findings"]}
    return [text for text in verdict["not_checked"] if text not in texts]


def render_receipt(receipt: Document) -> str:
    """Render one receipt for the screen."""
    run, tree, output = receipt["run"], receipt["tree"], receipt["output"]
    ended = f"exit {run['exit']}" if run["exit"] is not None else f"ended by {run['signal']}"
    where = "" if run["cwd"] == "." else f"  in {run['cwd']}"
    wrote = f"; wrote {', '.join(tree['wrote'])}" if tree["wrote"] else ""
    tools = ", ".join(f"{name} {version}" for name, version in receipt["tools"].items())
    lines = [
        f"#{receipt['id']:<8}{receipt['gate']['name']} {_name_result(receipt)}  {_all_counts(receipt)}",
        f"command  {join_lines(receipt['gate']['command'])}{where}  ({receipt['gate']['from']})",
        f"run      {run['started']}  {format_duration(run['seconds'])}  {ended}  by {run['by']}  on {run['on']}",
        f"tree     {tree['before'][:_SHORT]}{wrote}",
        f"output   {output['bytes']} bytes  sha256 {output['sha256'][:12]}  {output['log']}",
        f"tools    {tools}",
    ]
    lines += [f"reason   {receipt['reason']}"] if receipt.get("reason") else []
    lines += [f"failed   {name}" for name in (receipt["tests"] or {}).get(FAILED, [])[:20]]
    return "\n".join(cut(line.rstrip(), WIDTH) for line in lines)


_TREE = 12
_HASH = 12


def render_markdown(verdict: Document, receipts: Sequence[Document], refusals: Sequence[Document]) -> str:
    gates, others = list_gate_runs(verdict, receipts), list_scratch_runs(verdict, receipts)
    rows = [_row(gate["gate"]["name"], gate, gate["gate"]["command"]) for gate in gates]
    old = [other for other in others if other["run"]["on"] == "old-tests"]
    rows += [_row("original tests on this code", receipt, "") for receipt in old]
    lines = [f"{refusal['at']} {escape_markdown(refusal['what'])}" for refusal in refusals]
    return "\n".join(
        [
            f"**ultrawork: {name_verdict(verdict.get('ending') or verdict['verdict'], verdict.get('strength'))}** for tree `{verdict['tree'][:_TREE]}`:"
            f" {escape_markdown(verdict['goal'])}",
            "",
            "| check | result | command | time |",
            "|---|---|---|---|",
            *rows,
            "",
            _sentences(verdict),
            f"<details><summary>{count_things(len(gates) + len(others), 'receipt')},"
            f" {count_things(len(lines), 'claim')} sent back</summary>",
            "",
            " · ".join(_receipt(receipt) for receipt in [*gates, *others]),
            *lines,
            "</details>",
            "Check: `ultrawork evidence check -` with this text",
        ]
    )


def _row(name: str, receipt: Document, command: str) -> str:
    result = describe_counts(receipt) or {"green": "ok"}.get(receipt["result"], _name_result(receipt))
    duration = format_duration(receipt["run"]["seconds"])
    return f"| {escape_markdown(name)} | {result} | {quote_code(command)} | {duration} |"


def _sentences(verdict: Document) -> str:
    noticed = verdict["noticed_by"]
    fails = "not tried" if noticed is None else _names(map(quote_name, noticed[:5]))
    moved = [
        quote_name(finding["where"] or finding["what"].partition(" ")[0])
        for finding in _by_rule(verdict, *EXPECTATION_RULES)
    ]
    before = [finding["what"].partition(": ")[2] for finding in _by_rule(verdict, "failing-before")]
    changed = [finding["gate"] for finding in _by_rule(verdict, "gate-changed", "check-same", "check-replaced")]
    open_ones = [finding["what"] for finding in verdict["findings"] if finding["level"] != "note"]
    parts = [
        f"Fails without this change: {fails}",
        f"Expectations changed: {_names(moved)}",
        f"Already failing before: {_list(before) or 'none'}",
        f"Check changed: {_list(changed) or 'none'}",
    ]
    more = {
        "Open": open_ones,
        "Not checked": verdict["not_checked"],
        "Accepted": verdict["accepted"],
        "The verifier noted": verdict.get("verifier_notes") or [],
    }
    more["Composed of"] = [_describe_part(part) for part in verdict.get("composition") or ()]
    parts += [f"{title}: {_list(texts)}" for title, texts in more.items() if texts]
    return ". ".join(parts) + "."


def _list(texts: Iterable[str]) -> str:
    return "; ".join(map(escape_markdown, texts))


def _by_rule(verdict: Document, *rules: str) -> list[Document]:
    return [finding for finding in verdict["findings"] if finding["rule"] in rules]


def _names(names: Iterable[str]) -> str:
    return ", ".join(map(quote_code, names)) or "none"


def _receipt(receipt: Document) -> str:
    on = receipt["run"]["on"]
    label = receipt["gate"]["name"] + ("" if on == "new" else f"/{on}")
    digest = receipt["output"]["sha256"][:_HASH]
    return f"`#{receipt['id']}` {escape_markdown(label)} {receipt['result']} `sha256:{digest}`"


class SessionProof(NamedTuple):
    document: Document
    text: str
    exit: int


def read_proof(store: Store, session: Session, *, markdown: bool = False) -> SessionProof:
    """Return a session's result, with the last verdict, its receipts and what was sent back."""
    database, summary = store.database, summarize(store, session)
    outcome = read_ending(database, session)
    checked = find_goal_verdict(database, session)
    if checked is None and not outcome.word:
        raise NotFound(
            f"no verdict yet in session {session.id[:8]} ({summary.state.word}). To get one: ultrawork verify"
        )
    refusals = [_describe_refusal(taken) for taken in list_refusals(database, session)]
    facts = {"refusals": summary.sent_back, "summary": summary.document()}
    if checked is None:
        document = {**_describe_unchecked(session), "seconds": summary.seconds, **outcome.document(), **facts}
        text = _render_unchecked(database, session, document, refusals)
        return SessionProof(document, text, outcome.exit)
    strength = checked.get("strength") if outcome.verdict == PASS else None
    document = {**checked, **outcome.document(), **facts, "strength": strength}
    if session.kind != CHECKOUT:
        # A check after the end took no part of the session's time.
        document["seconds"] = summary.seconds
    if session.state.composition:
        rounds = {
            mode: mode_progress.counts.get("iteration") or mode_progress.counts.get("cycle", 0)
            for mode, mode_progress in read_all(session).items()
        }
        document["composition"] = judge_parts(session.state.composition, document, rounds)
    approved = session.state.lead.get("confirmed_by") or session.plan.get("approved_by")
    if approved:
        document["approved_by"] = str(approved)
    document["verifier_notes"] = list_judge_notes(session.state.verification)
    write = render_markdown if markdown else render
    text = write(document, receipts.list_all(database, session.id), refusals)
    return SessionProof(document, text, outcome.exit)


def _describe_unchecked(session: Session) -> Document:
    """Describe a session that ended before its whole result was checked."""
    return {"session": session.id, "goal": session.goal, "decided": format_iso(session.ended_at) or ""}


def _render_unchecked(database: Database, session: Session, document: Document, refusals: Sequence[Document]) -> str:
    why = read_cause(database, session.id) or "the whole result was never checked"
    lines = [_head(document), f"{'because':<11}{join_lines(why)}"]
    lines += (
        [f"{'receipts':<11}{count} from tasks; list them: ultrawork evidence list"]
        if (count := len(receipts.list_all(database, session.id)))
        else []
    )
    lines += [f"{refusal['at']:<11}{refusal['what']}" for refusal in refusals]
    return "\n".join(cut(line.rstrip(), WIDTH) for line in lines)


def _describe_refusal(taken: StoredDecision) -> dict[str, str]:
    return {"at": (format_iso(taken.at) or "")[11:16], "what": f"sent back: {taken.because}"}
