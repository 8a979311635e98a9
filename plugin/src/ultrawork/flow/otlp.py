"""Send spans to a collector: OTLP over HTTP in its JSON form, which needs no library."""

from collections.abc import Mapping

from ..core.errors import Trouble, UsageError
from ..core.session.session import Session
from ..report.spans import list_spans, make_request
from ..store.codec import dumps
from ..store.paths import read_version
from ..store.store import Store

PATH = "/v1/traces"
_PATIENCE = 10.0
_HEADERS = "OTEL_EXPORTER_OTLP_HEADERS"


def send_spans(store: Store, session: Session, url: str, environ: Mapping[str, str]) -> int:
    """Return how many spans the collector took."""
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, urlopen

    address = complete_address(url)
    spans = list_spans(store, session)
    body = dumps(make_request(session, spans, read_version())).encode()
    headers = {"Content-Type": "application/json", **read_headers(environ.get(_HEADERS, ""))}
    try:
        with urlopen(Request(address, body, headers), timeout=_PATIENCE):  # noqa: S310 (http or https, checked)
            return len(spans)
    except HTTPError as error:
        raise Trouble(f"{address} refused the spans: {error.code} {error.reason}") from None
    except (URLError, OSError, ValueError) as error:
        why = getattr(error, "reason", None) or error
        raise Trouble(f"could not send the spans to {address}: {why}") from None


def complete_address(url: str) -> str:
    """Return where traces go: a collector's address without a path gets the usual one."""
    scheme, separator, rest = url.partition("://")
    if not separator or scheme not in ("http", "https") or not rest.strip("/"):
        raise UsageError(f"{url!r} is not an http or https address; give a collector, such as http://127.0.0.1:4318")
    host, slash, path = rest.partition("/")
    return url if slash and path else f"{scheme}://{host}{PATH}"


def read_headers(text: str) -> dict[str, str]:
    """Read `name=value,name=value`, the form of OpenTelemetry's own variable."""
    from urllib.parse import unquote

    pairs = (part.partition("=") for part in text.split(",") if "=" in part)
    return {name.strip(): unquote(value.strip()) for name, _, value in pairs}
