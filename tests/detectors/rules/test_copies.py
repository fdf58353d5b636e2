"""One edit made again and again."""

from loopwatch.detectors.finding import Level
from loopwatch.detectors.rules.copies import RepeatedEdit
from tests.detectors.build import act, edit, read, steps_of, watch, write


def rule(**settings) -> RepeatedEdit:
    return RepeatedEdit(RepeatedEdit.Settings(**settings))


def insert(n):
    return act(
        "edit", "1:1\nvoid method() {}\nend_of_edit", f"[File: A.java ({n} lines total)]\n{'void method() {}' * n}"
    )


def test_the_same_insertion_again_and_again_is_seen_though_the_file_grows():
    said = watch(rule(warn=3, strong=6), *[insert(n) for n in range(8)])

    assert steps_of(said) == [2, 3, 4, 5, 6, 7]
    assert [finding.count for finding in said] == [3, 4, 5, 6, 7, 8]
    assert said[-1].level == Level.STRONG


def test_looking_between_does_not_hide_it():
    assert watch(rule(), *[step for n in range(5) for step in (insert(n), read(f"f{n}"))])


def test_other_edits_push_it_out():
    script = [step for n in range(5) for step in (insert(n), *[edit("B", f"a{n}{m}", "b") for m in range(4)])]

    assert not watch(rule(window=6), *script)


def test_different_edits_and_writes_are_silent():
    """N03, N09."""
    assert not watch(rule(), *[edit("a.py", f"x{n}", f"y{n}", "ok") for n in range(12)])
    assert not watch(rule(), *[write(f"f{n}", "same content") for n in range(12)])


def test_failed_edits_are_left_to_the_rules_about_failures():
    assert not watch(rule(), *[edit("a.py", "x", "y", "text not found", failed=True)] * 9)
