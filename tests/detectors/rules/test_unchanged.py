"""Edits that are said to have worked and change nothing."""

from loopwatch.detectors.finding import Level
from loopwatch.detectors.rules.unchanged import EmptyEdit
from tests.detectors.build import act, edit, read, sh, steps_of, watch, write


def rule(**settings) -> EmptyEdit:
    return EmptyEdit(EmptyEdit.Settings(**settings))


def test_the_same_patch_reported_done_again_and_again_is_seen():
    patch = "*** Begin Patch\n*** Update File: a.ts\n@@\n-const t = read()\n+const t = await read()\n*** End Patch"
    script = [act("apply_patch", {"input": patch}, "Done."), sh("git diff --stat", "")] * 4

    said = watch(rule(warn=2, strong=3), *script)

    assert steps_of(said) == [4, 6]
    assert [finding.level for finding in said] == [Level.WARN, Level.STRONG]


def test_old_text_equal_to_new_text_changes_nothing():
    assert steps_of(watch(rule(), *[edit("a.py", f"line {n}", f"line {n}") for n in range(3)])) == [1, 2]


def test_results_that_say_so_are_believed():
    assert watch(rule(), *[edit("a.py", f"x{n}", f"y{n}", "0 replacements made") for n in range(3)])


def test_writing_the_same_content_again_changes_nothing():
    assert watch(rule(), *[write("a.py", "same")] * 4)


def test_a_workspace_that_shows_no_change_is_believed():
    """A13: a run of writes none of which changed a file."""
    said = watch(rule(), *[edit("a.py", f"x{n}", f"y{n}", changes=()) for n in range(3)])

    assert "no file of the workspace changed" in said[0].message


def test_different_edits_with_a_constant_answer_are_silent():
    """N03, F17."""
    assert not watch(rule(), *[edit("a.py", f"x{n}", f"y{n}") for n in range(12)])


def test_the_same_edit_of_many_files_is_silent():
    assert not watch(rule(), *[edit(f"f{n}.py", "import x", "import y") for n in range(12)])


def test_an_insertion_done_twice_does_change_the_file():
    assert not watch(rule(), *[edit("a.py", "end", "line\nend")] * 5)


def test_the_same_edit_after_the_file_was_taken_back_is_silent():
    assert not watch(rule(), *[step for _ in range(5) for step in (edit("a.py", "x", "y"), sh("git checkout -- a.py"))])


def test_failed_edits_are_left_to_the_rules_about_failures():
    script = [
        step for _ in range(4) for step in (edit("a.py", "x", "x", "old and new are equal", failed=True), read("a.py"))
    ]

    assert not watch(rule(), *script)
