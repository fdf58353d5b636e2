"""Symbolic links of the workspace, and only of the workspace."""

from loopwatch.engine.links import LinkResolver


def test_a_link_and_what_it_leads_to_are_one_place(tmp_path):
    """A10."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "chain").symlink_to("link")
    resolve = LinkResolver(str(tmp_path))

    assert resolve(f"{tmp_path}/chain/new.txt") == resolve(f"{tmp_path}/real/new.txt") == f"{tmp_path}/real/new.txt"


def test_a_workspace_that_is_itself_a_link_is_seen_through(tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "alias").symlink_to("work")
    resolve = LinkResolver(str(tmp_path / "alias"))

    assert resolve(f"{tmp_path}/alias/a") == resolve(f"{tmp_path}/work/a")


def test_nothing_outside_is_touched_and_nothing_breaks(tmp_path):
    (tmp_path / "inside").mkdir()
    (tmp_path / "outside").symlink_to("inside")
    (tmp_path / "inside" / "loop").symlink_to("loop")
    resolve = LinkResolver(str(tmp_path / "inside"))

    for path in (f"{tmp_path}/outside/a", "/proc/self/cwd", f"{tmp_path}/inside/../outside"):
        assert resolve(path) == path
    for odd in (
        f"{tmp_path}/inside/a\0b",
        f"{tmp_path}/inside/{'x' * 5000}",
        f"{tmp_path}/inside/loop/a",
        "",
        "\ud800",
    ):
        assert isinstance(resolve(odd), str)
