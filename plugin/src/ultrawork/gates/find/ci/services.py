"""GitLab CI, CircleCI, Azure Pipelines and Travis: what their jobs run on a plain push."""

from collections.abc import Iterator

from ..folder import ProjectFolder, get_table, list_texts
from .files import AZURE_FILES, CIRCLE_FILES, GITLAB_FILE, TRAVIS_FILE
from .steps import (
    STEPS,
    CiStep,
    get_line,
    is_met_by_push,
    list_service_needs,
    list_texts_deep,
    put_in_variables,
    read_included,
    resolve_folder,
)

DEPTH = 4
_NO_JOBS = frozenset(
    ("default", "include", "stages", "variables", "workflow", "image", "services", "cache", "before_script",
     "after_script", "spec", "pages")
)  # fmt: skip


def read_gitlab(root: ProjectFolder) -> Iterator[CiStep]:
    jobs = {**_gitlab_included(root), **root.read_yaml(GITLAB_FILE)}
    default = {**jobs, **get_table(jobs, "default")}
    shared = get_table(jobs, "variables")
    for name, definition in jobs.items():
        if name in _NO_JOBS or name.startswith(".") or not isinstance(definition, dict):
            continue
        job = _gitlab_extended(jobs, definition)
        if not _is_gitlab_push(job):
            continue
        lines = list_texts_deep([job.get("before_script", default.get("before_script")), job.get("script")])
        own = list_texts_deep(job.get("script"))
        needs = list_service_needs(job.get("services", default.get("services") or []))
        text = put_in_variables("\n".join(lines), {**shared, **get_table(job, "variables")})
        yield CiStep(text, f"{GITLAB_FILE}:{get_line(own[0]) if own else 1}", name, ".", needs)


def _gitlab_included(root: ProjectFolder) -> dict[str, object]:
    included = root.read_yaml(GITLAB_FILE).get("include")
    jobs: dict[str, object] = {}
    for entry in included if isinstance(included, list) else [included]:
        path = entry if isinstance(entry, str) else get_table(entry).get("local")
        if isinstance(path, str) and "://" not in path:
            jobs |= read_included(root, path)
    return jobs


def _gitlab_extended(jobs: dict[str, object], job: dict[str, object], depth: int = 0) -> dict[str, object]:
    above: dict[str, object] = {}
    for name in list_texts(job.get("extends")) if depth < DEPTH else ():
        above |= _gitlab_extended(jobs, get_table(jobs, name), depth + 1)
    return {**above, **job}


def _is_gitlab_push(job: dict[str, object]) -> bool:
    only = list_texts(job.get("only")) or list_texts(get_table(job, "only").get("refs"))
    if job.get("when") == "manual" or (only and set(only) <= {"tags", "schedules", "web", "triggers"}):
        return False
    rules = job.get("rules")
    if not isinstance(rules, list) or not rules:
        return True
    open_rules = [rule for rule in map(get_table, rules) if rule.get("when") not in ("never", "manual")]
    return not open_rules or any(is_met_by_push(rule.get("if", "")) for rule in open_rules)


def read_circle(root: ProjectFolder) -> Iterator[CiStep]:
    file = root.find_first(*CIRCLE_FILES)
    options = root.read_yaml(file) if file else {}
    jobs, commands = get_table(options, "jobs"), get_table(options, "commands")
    for name in _circle_jobs(options) or jobs:
        job = get_table(jobs, name)
        images = job.get("docker")
        needs = list_service_needs(images[1:]) if isinstance(images, list) else []
        base = resolve_folder(".", job.get("working_directory"))
        for where, text in _circle_steps(job.get("steps"), commands, 0):
            folder = resolve_folder(base or ".", where)
            if folder is not None:
                yield CiStep(text, f"{file}:{get_line(text)}", name, folder, needs)


def _circle_jobs(options: dict[str, object]) -> list[str]:
    """Return the jobs of workflows that a push starts, by job name even if the workflow renames them."""
    names: dict[str, None] = {}
    for workflow in get_table(options, "workflows").values():
        listed = get_table(workflow).get("jobs")
        if "triggers" in get_table(workflow) or not isinstance(listed, list):
            continue
        for entry in listed:
            name, given = next(iter(entry.items()), ("", "")) if isinstance(entry, dict) else (entry, "")
            filters = get_table(given, "filters")
            ignored = list_texts(get_table(filters, "branches").get("ignore"))
            if not ignored or "/.*/" not in ignored:
                names[str(name)] = None
    return list(names)


def _circle_steps(steps: object, commands: dict[str, object], depth: int) -> Iterator[tuple[object, str]]:
    for step in steps[:STEPS] if isinstance(steps, list) and depth < DEPTH else []:
        name = step if isinstance(step, str) else next(iter(get_table(step)), "")
        given = get_table(step).get(name)
        if name == "run":
            table = get_table(given)
            text = given if isinstance(given, str) else table.get("command")
            if isinstance(text, str) and text:
                yield table.get("working_directory"), text
        elif name in ("when", "unless"):
            yield from _circle_steps(get_table(given).get("steps"), commands, depth + 1)
        elif name in commands:
            yield from _circle_steps(get_table(commands, name).get("steps"), commands, depth + 1)


def read_azure(root: ProjectFolder) -> Iterator[CiStep]:
    file = root.find_first(*AZURE_FILES)
    if file:
        yield from _azure(root, file, root.read_yaml(file), {}, 0)


def _azure(root: ProjectFolder, file: str, part: object, variables: dict[str, object], depth: int) -> Iterator[CiStep]:
    """Yield the steps of stages and jobs, each of which may come from a template."""
    table = get_table(part)
    if depth > 2 * DEPTH or not is_met_by_push(table.get("condition", "")):
        return
    template = table.get("template")
    if isinstance(template, str) and "@" not in template:
        folder = file.rpartition("/")[0]
        path = template.lstrip("/") if template.startswith("/") else f"{folder}/{template}".lstrip("/")
        yield from _azure(root, path, read_included(root, path), variables, depth + 1)
    matrix = get_table(table, "strategy", "matrix")
    known = {**variables, **get_table(table, "variables"), **get_table(next(iter(matrix.values()), {}))}
    for key in ("stages", "jobs", "steps"):
        inner = table.get(key)
        for child in inner[:STEPS] if isinstance(inner, list) else []:
            yield from _azure(root, file, child, known, depth + 1)
    text = table.get("script", table.get("bash"))
    where = resolve_folder(".", table.get("workingDirectory"))
    if isinstance(text, str) and where is not None:
        name = str(table.get("displayName", ""))
        yield CiStep(put_in_variables(text, known), f"{file}:{get_line(text)}", name, where)


# What Travis runs if the file names nothing.
_TRAVIS_DEFAULTS = {
    "elixir": "mix test",
    "go": "go test ./...",
    "node_js": "npm test",
    "perl": "prove -l",
    "php": "phpunit",
    "ruby": "rake",
    "rust": "cargo test",
}


def read_travis(root: ProjectFolder) -> Iterator[CiStep]:
    options = root.read_yaml(TRAVIS_FILE) if root.exists(TRAVIS_FILE) else {}
    if not options:
        return
    needs = list_service_needs(options.get("services") or [])
    language = str(options.get("language", ""))
    included = get_table(options, "jobs").get("include") or get_table(options, "matrix").get("include")
    jobs = [job for job in map(get_table, included if isinstance(included, list) else []) if "script" in job]
    whole = {**options, "script": options.get("script") or _TRAVIS_DEFAULTS.get(language, "")}
    for job in [whole, *jobs]:
        lines = list_texts_deep([job.get("before_script"), job.get("script")])
        if lines and is_met_by_push(job.get("if", "")):
            source = f"{TRAVIS_FILE}:{get_line(lines[-1])}"
            yield CiStep("\n".join(lines), source, str(job.get("name", "")), ".", needs)


READERS = (read_gitlab, read_circle, read_azure, read_travis)
