"""Where CI files are. Separate from their readers, so that a project without such files never loads them."""

from ..folder import ProjectFolder

GITHUB_FOLDER = ".github/workflows"
GITLAB_FILE = ".gitlab-ci.yml"
CIRCLE_FILES = (".circleci/config.yml", ".circleci/config.yaml")
AZURE_FILES = ("azure-pipelines.yml", "azure-pipelines.yaml", ".azure-pipelines.yml", ".azure-pipelines/ci.yml")
TRAVIS_FILE = ".travis.yml"
SERVICE_FILES = (GITLAB_FILE, *CIRCLE_FILES, *AZURE_FILES, TRAVIS_FILE)


def has_ci(project: ProjectFolder) -> bool:
    """Return whether the whole project has a CI file, from any of its folders."""
    return bool(project.root().once("ci files", list_ci_files))


def list_ci_files(root: ProjectFolder) -> list[str]:
    """The CI files that are there, for people."""
    names = [f"{GITHUB_FOLDER}/{name}" for name in root.names(GITHUB_FOLDER)]
    return [*names, *root.list_present(SERVICE_FILES)]
