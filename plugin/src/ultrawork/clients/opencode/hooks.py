"""opencode: it has none of our hooks, so its sessions are judged only by their files."""

from ..client import ClientAdapter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..install import ClientInstall


class OpencodeCli(ClientAdapter):
    name = "opencode"
    title = "opencode"
    one_shot = "opencode run"

    def plan_install(self, environ: "Mapping[str, str]", root: str) -> "ClientInstall | None":
        from .install import plan_install

        return plan_install(environ, root)


ADAPTER = OpencodeCli()
