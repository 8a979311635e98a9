"""A step of a CI job as written: shell text, where it runs, what it needs. Matrix values are substituted; nothing is
executed."""

import re
from collections.abc import Iterator, Mapping, Sequence

from ....core.value import Value, fresh
from ..folder import ProjectFolder, get_table

VARIANTS = 12
STEPS = 400
TEXTS = 1_000
_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
_MATRIX = re.compile(r"matrix\.([\w-]+)")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|\((\w+)\)|(\w+))")
_PORT = re.compile(r"^\D*?(\d+)(?::\d+)?$")
# The usual address of a service, by the start of its image name.
_PORTS = {
    "postgres": 5432, "postgis": 5432, "mysql": 3306, "mariadb": 3306, "redis": 6379, "valkey": 6379, "mongo": 27017,
    "memcached": 11211, "rabbitmq": 5672, "elasticsearch": 9200, "opensearch": 9200, "nats": 4222,
}  # fmt: skip
# Conditions that a plain push does not meet.
_NOT_ON_PUSH = re.compile(r"refs/tags|CI_COMMIT_TAG|TRAVIS_TAG|schedule|workflow_dispatch|'release'|manual|secrets\.")
_ALSO_ON_PUSH = re.compile(r"!=|\|\||'push'|!\s*startsWith|\"push\"|!~")


class CiStep(Value):
    """`text` is shell; `source` file and line; `needs` services; `job` as the file calls it."""

    text: str
    source: str
    job: str = ""
    where: str = "."
    needs: list[str] = fresh(list)


def is_met_by_push(condition: object) -> bool:
    """Return whether a push meets the condition; False if it clearly waits for a tag, a schedule, a user or a
    secret."""
    text = str(condition)
    return not _NOT_ON_PUSH.search(text) or bool(_ALSO_ON_PUSH.search(text))


def list_texts_deep(value: object) -> list[str]:
    """All texts of a list in lists, as anchors make them."""
    texts: list[str] = []
    queue = [value]
    while queue and len(texts) < TEXTS:
        node = queue.pop(0)
        if isinstance(node, list):
            queue = [*node[:TEXTS], *queue][:TEXTS]
        elif isinstance(node, str) and node:
            texts.append(node)
    return texts


def get_line(value: object, default: int = 1) -> int:
    return int(getattr(value, "line", default))


def read_matrix(strategy: object) -> dict[str, list[str]]:
    """Return the values of each matrix name, including those of `include`."""
    matrix = get_table(get_table(strategy), "matrix")
    choices = {name: _scalars(values) for name, values in matrix.items()}
    included = matrix.get("include")
    for entry in included if isinstance(included, list) else []:
        for name, value in get_table(entry).items():
            if isinstance(value, str) and value not in choices.setdefault(name, []):
                choices[name].append(value)
    return {name: values for name, values in choices.items() if values}


def _scalars(values: object) -> list[str]:
    return [v for v in values if isinstance(v, str)] if isinstance(values, list) else []


def expand_matrix(text: str, matrix: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the text once per matrix value that it uses; unchanged if it uses none."""
    texts = [text]
    for name in dict.fromkeys(_MATRIX.findall(" ".join(_EXPRESSION.findall(text)))):
        values = matrix.get(name, ())
        pattern = re.compile(r"\$\{\{\s*matrix\." + re.escape(name) + r"\s*\}\}")
        if values:
            plain = [value.replace("\\", "") for value in values]
            texts = [pattern.sub(value, text) for text in texts for value in plain][:VARIANTS]
    return texts


def put_in_variables(text: str, variables: Mapping[str, object]) -> str:
    """Substitute plain values of a file's own variables; leave everything else."""

    def value_of(match: re.Match[str]) -> str:
        value = variables.get(match[1] or match[2] or match[3])
        return value if isinstance(value, str) and "$" not in value else match[0]

    def expression(match: re.Match[str]) -> str:
        name = match[1].removeprefix("env.")
        value = variables.get(name) if name != match[1] else None
        return value if isinstance(value, str) and "$" not in value else match[0]

    return _VARIABLE.sub(value_of, _EXPRESSION.sub(expression, text)) if variables else text


def list_service_needs(services: object) -> list[str]:
    """Return `tcp:localhost:5432` for each service of a job, by its ports, else by its image."""
    addresses: dict[str, None] = {}
    entries = services.items() if isinstance(services, dict) else _named(services)
    for name, service in entries:
        ports = get_table(service).get("ports")
        listed = [_PORT.match(str(port)) for port in ports] if isinstance(ports, list) else []
        given = [match[1] for match in listed if match]
        image = str(get_table(service).get("image") or get_table(service).get("name") or name)
        base = image.rpartition("/")[2].partition(":")[0].partition("@")[0].lower()
        known = next((port for start, port in _PORTS.items() if base.startswith(start)), None)
        for port in given or ([str(known)] if known else []):
            addresses[f"tcp:localhost:{port}"] = None
    return list(addresses)


def _named(services: object) -> Iterator[tuple[str, object]]:
    for service in services if isinstance(services, list) else [services]:
        yield (service if isinstance(service, str) else ""), service


def resolve_folder(base: str, folder: object) -> str | None:
    """Return a working directory as a path from the root; None if it is unknown."""
    path = str(folder or "").strip().replace("${{ github.workspace }}", ".")
    path = re.sub(r"^(\$CI_PROJECT_DIR|\$\(Build\.SourcesDirectory\)|~/project)/?", "", path)
    if not path or path in (".", "./"):
        return base
    plain = not set(path) & set("${}~*") and not path.startswith("/") and ".." not in path.split("/")
    return "/".join(part for part in (base + "/" + path).split("/") if part not in ("", ".")) if plain else None


def read_included(root: ProjectFolder, path: str) -> dict[str, object]:
    """Return another file of the project that a CI file includes; empty if it does not exist."""
    path = path.removeprefix("./").lstrip("/")
    return root.read_yaml(path) if path and root.exists(path) else {}
