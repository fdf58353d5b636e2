"""What a call would do to the text of files."""

import pytest

from loopwatch.detectors.sameness import Sameness
from tests.detectors.build import act, edit, sh, write


def edits(step):
    return Sameness(workspace="/w").facts(step).edits


PATCH = (
    "*** Begin Patch\n*** Update File: src/a.py\n@@ def f():\n ctx\n-old\n+new\n"
    "*** Add File: b.py\n+text\n*** End Patch"
)
DIFF = "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,2 @@\n ctx\n-old\n+new\n"


def test_a_whole_write_says_what_the_file_holds_afterwards():
    one, again, other = (edits(write(path, text))[0] for path, text in (("a", "x"), ("./a", "x"), ("a", "y")))

    assert one == again
    assert (one.kind, one.path) == ("whole", "a")
    assert one.new != other.new


@pytest.mark.parametrize(
    "arguments",
    [
        {"file_path": "/w/a", "old_string": "one", "new_string": "two"},
        {"path": "a", "search": "one", "replace": "two"},
        {"path": "a", "edits": [{"oldText": "one", "newText": "two"}]},
        {"command": "str_replace", "path": "/w/a", "old_str": "one", "new_str": "two"},
    ],
)
def test_a_replacement_is_the_same_in_every_vocabulary(arguments):
    assert edits(act("edit_file", arguments)) == edits(edit("a", "one", "two"))


def test_a_swapped_replacement_has_old_and_new_swapped():
    there, back = edits(edit("a", "one", "two"))[0], edits(edit("a", "two", "one"))[0]

    assert (there.old, there.new) == (back.new, back.old)


def test_a_replacement_that_keeps_the_old_text_can_be_done_again():
    assert edits(edit("a", "end", "more\nend"))[0].repeatable
    assert not edits(edit("a", "one", "two"))[0].repeatable


@pytest.mark.parametrize(
    "step", [act("apply_patch", PATCH), act("apply_patch", {"input": PATCH}), sh(f"apply_patch <<'EOF'\n{PATCH}\nEOF")]
)
def test_a_patch_is_taken_apart_file_by_file(step):
    assert [(one.path, one.kind) for one in edits(step)] == [("src/a.py", "part"), ("b.py", "whole")]


def test_a_unified_diff_is_read_like_a_patch():
    assert [(one.path, one.kind) for one in edits(act("patch", {"diff": DIFF}))] == [("src/a.py", "part")]


def test_shell_here_documents_sed_and_git_checkout_are_understood():
    assert edits(sh("cat > a.txt <<'EOF'\nx\nEOF")) == edits(write("a.txt", "x"))
    assert edits(sh("sed -i 's/one/two/' a"))[0] == edits(edit("a", "one", "two"))[0]
    assert edits(sh("git checkout -- a"))[0].kind == "restore"


@pytest.mark.parametrize(
    ("command", "taken_back"),
    [
        ("git checkout src/a.py", [("src/a.py", "restore")]),
        ("git checkout feature/login", []),
        ("git checkout -b fix/a.b", []),
        ("git restore a b.py", [("a", "restore")]),
        ("git stash", [("*", "restore")]),
        ("git stash list", []),
        ("git stash pop", [("*", "undo")]),
        ("git reset --hard HEAD", [("*", "restore")]),
        ("git checkout .", [("*", "restore")]),
    ],
)
def test_what_git_takes_back_is_understood(command, taken_back):
    assert [(one.path, one.kind) for one in edits(sh(command))] == taken_back


@pytest.mark.parametrize(
    "step", [act("read_file", {"path": "a", "text": "x"}), sh("ls"), act("x", [1]), act("edit_file", "no")]
)
def test_what_is_no_edit_gives_none(step):
    assert edits(step) == ()
