"""Which files may leave a machine with a run: uncommitted ones only with the user's consent, secrets never."""

_NAMES = frozenset(
    (
        ".envrc", ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".htpasswd", ".pgpass", ".vault-token",
        ".dockercfg", ".renviron", "auth.json", "kubeconfig", "keystore.properties", "local.settings.json", "token.txt",
        "token.json", "password", "password.txt", "api_key.txt", "apikey.txt", ".s3cfg", ".my.cnf", ".boto",
    )
)  # fmt: skip
_ENDS = (
    ".env", ".pem", ".key", ".p8", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".ovpn", ".gpg", ".tfstate", ".tfvars",
)  # fmt: skip
_KEYS = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".env.", ".env-", ".env_")
_PUBLIC = ".pub"
_FOLDERS = frozenset((".ssh", ".aws", ".gnupg", ".kube"))
# Words that mark a file of data, not one of code, as secret.
_WORDS = ("credential", "secret", "passwords", "service-account", "service_account")
_DATA = ("", "json", "toml", "yaml", "yml", "txt", "ini", "cfg", "conf", "csv", "properties", "xml")
_COPIES = (".backup", ".bak", ".old", ".orig", ".save", ".swp", "~")
_SAMPLES = (".example", ".sample", ".template", ".dist")
_SHOWN = 10


def is_secret_file(path: str) -> bool:
    """Return whether a file holds keys, by its usual name, also as a copy; samples and public keys do not count."""
    *folders, name = path.lower().split("/")
    for ending in _COPIES:
        name = name.removesuffix(ending)
    if name.endswith((*_SAMPLES, _PUBLIC)):
        return False
    named = name in _NAMES or name.startswith(_KEYS) or name.endswith(_ENDS)
    return named or not _FOLDERS.isdisjoint(folders) or _is_data_of_secrets(name)


def _is_data_of_secrets(name: str) -> bool:
    ending = name.rpartition(".")[2] if "." in name.lstrip(".") else ""
    return ending in _DATA and any(word in name for word in _WORDS)


def find_secret_refusal(paths: list[str]) -> str:
    """Return a sentence if one of these must not leave, else nothing."""
    secrets = [path for path in paths if is_secret_file(path)]
    if not secrets:
        return ""
    more = f" and {len(secrets) - 1} more" if len(secrets) > 1 else ""
    return (
        f"{secrets[0]}{more} looks like a secret, is not committed and would be pushed; add it to .gitignore,"
        " or move it away"
    )


def shorten_list(paths: list[str]) -> list[str]:
    """Return the first paths for a question, and how many more there are."""
    more = len(paths) - _SHOWN
    return [*paths[:_SHOWN], *([f"and {more} more"] if more > 0 else [])]
