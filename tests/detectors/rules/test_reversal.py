"""Files whose content goes back and forth."""

from loopwatch.detectors.finding import Level
from loopwatch.detectors.rules.reversal import Reversal
from loopwatch.detectors.step import Change
from tests.detectors.build import act, edit, read, sh, steps_of, watch, write


def rule(**settings) -> Reversal:
    return Reversal(Reversal.Settings(**settings))


def toggle(count, path="a.ts"):
    return [edit(path, "zeros", "blanks") if n % 2 == 0 else edit(path, "blanks", "zeros") for n in range(count)]


def test_edits_that_undo_each_other_are_seen_at_the_third_return():
    said = watch(rule(warn=3, strong=6), *toggle(8))

    assert steps_of(said) == [3, 4, 5, 6, 7]
    assert said[0].level == Level.WARN
    assert said[-1].level == Level.STRONG
    assert "goes round between 2 versions" in said[0].message


def test_the_read_write_story_of_one_file_that_never_converges_is_seen():
    with_log, without = "log()\nx = 1\n", "x = 1\n"
    script = [
        step for n in range(6) for step in (write("s.ts", with_log if n % 2 == 0 else without), read("s.ts", f"{n}"))
    ]

    assert steps_of(watch(rule(), *script))[0] == 8


def test_patches_that_swap_two_lines_are_seen():
    def patch(first, second):
        return act(
            "apply_patch",
            f"*** Begin Patch\n*** Update File: r.py\n@@\n-{first}\n-{second}\n+{second}\n+{first}\n*** End Patch",
        )

    assert watch(rule(), *[patch("import a", "import b"), patch("import b", "import a")] * 3)


def test_one_experiment_taken_back_is_silent():
    """H54."""
    assert not watch(rule(), *toggle(2), sh("pytest", "ok"), edit("a.ts", "zeros", "spaces"))


def test_different_debug_prints_put_in_and_taken_out_are_silent():
    """H53."""
    script = [
        step for n in range(8) for step in (edit("a.py", "x", f"x; print({n})"), edit("a.py", f"x; print({n})", "x"))
    ]

    assert not watch(rule(), *script)


def test_moving_code_within_a_file_is_no_return():
    script = [
        step
        for n in range(5)
        for step in (edit("a.py", f"top {n}\nbody", f"top {n}"), edit("a.py", f"end {n}", f"end {n}\nbody"))
    ]

    assert not watch(rule(), *script)


def test_edits_and_git_checkout_in_turn_are_seen():
    script = [step for _ in range(5) for step in (edit("a.py", "x", "y"), sh("git checkout -- a.py", ""))]

    assert watch(rule(), *script)


def test_edits_and_the_editors_undo_in_turn_are_seen():
    undo = act("str_replace_editor", {"command": "undo_edit", "path": "a.py"}, "Last edit undone.")

    assert watch(rule(), *[step for _ in range(5) for step in (edit("a.py", "x", "y"), undo)])


def test_stashing_and_popping_in_turn_is_seen():
    script = [step for _ in range(5) for step in (sh("git stash && make test", "1 failed"), sh("git stash pop", ""))]

    assert watch(rule(), edit("a.py", "x", "y"), *script)


def test_failed_edits_change_nothing():
    assert not watch(rule(), *[edit("a.ts", "zeros", "blanks", "text not found", failed=True)] * 9)


def test_a_watched_workspace_is_believed_over_what_the_calls_say():
    """A15: digests of the watcher."""
    one, two = ("aa", "bb"), ("bb", "aa")
    script = [
        sh(f"python fix.py {n}", "ok", changes=(Change("g.txt", "modified", *(one, two)[n % 2]),)) for n in range(6)
    ]

    assert steps_of(watch(rule(), *script))[0] == 3


def test_changes_far_apart_do_not_add_up():
    script = []
    for step in toggle(6):
        script += [step, *[read(f"f{n}") for n in range(40)]]

    assert not watch(rule(window=60), *script)
