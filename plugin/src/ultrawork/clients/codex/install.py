"""Our plugin in Codex, by its own commands."""

from collections.abc import Mapping

from ..install import NAME, PLUGIN, ClientInstall, find_folder, find_marketplace


def plan_install(environ: Mapping[str, str], root: str) -> ClientInstall | None:
    market = find_marketplace(root)
    folder = find_folder(environ, "CODEX_HOME", ".codex")
    adds = (("plugin", "marketplace", "add", market), ("plugin", "add", PLUGIN)) if market else ()
    return ClientInstall(
        commands=adds,
        removal=(("plugin", "remove", PLUGIN), ("plugin", "marketplace", "remove", NAME)),
        watched=(folder,),
        noise=(f"{folder}/.tmp", f"{folder}/log", f"{folder}/sessions", f"{folder}/installation_id"),
        caches=(f"{folder}/plugins/cache/{NAME}", f"{folder}/plugins/data/{NAME}-{NAME}"),
        note="Codex skips hooks that you have not trusted: start codex once and answer Trust all and continue",
    )
