"""Fingerprints of what checks use."""

from support.scene import Scene


def test_a_folder_on_the_path_that_does_not_exist_does_not_keep_a_session_from_starting(tmp_path):
    scene = Scene(str(tmp_path))
    scene.environ["PATH"] = f"{scene.place}/.venv/bin:{scene.environ['PATH']}"
    scene.prompt("ulw fix the book")
    scene.idle()
    assert "ultrawork:" in str(scene.stop("Done."))
