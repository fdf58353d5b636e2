"""Inputs that only ever grow."""

from loopwatch.detectors.rules.growing import GrowingCommand
from tests.detectors.build import sh, steps_of, watch, write


def rule(**settings) -> GrowingCommand:
    return GrowingCommand(GrowingCommand.Settings(**settings))


def test_one_more_flag_every_time_with_the_same_error_is_seen_at_the_fourth():
    """M22 and its kin: the flag may stand anywhere."""
    flags = ["-v", "-x", "-race", "-trimpath", "-a"]
    script = [sh(f"go build {' '.join(flags[:n])} ./cmd", "ld: cannot find -lrocks", failed=True) for n in range(6)]

    said = watch(rule(warn=4), *script)

    assert steps_of(said) == [4, 5]
    assert said[0].steps == (0, 1, 2, 3, 4)


def test_a_command_appended_to_itself_is_seen_whatever_comes_back():
    """L17: stella#5863."""
    script = [sh("; ".join(["make step"] * n), f"output {'new ' * n}") for n in range(1, 12)]

    assert steps_of(watch(rule(), *script))[0] == 8


def test_a_pipeline_built_up_with_new_output_each_time_is_silent():
    parts = ["cat log", "| grep ERR", "| cut -f2", "| sort", "| uniq -c", "| sort -rn"]
    script = [sh(" ".join(parts[:n]), f"lines {'x' * n}") for n in range(1, 7)]

    assert not watch(rule(), *script)


def test_a_document_written_piece_by_piece_is_silent():
    """H77."""
    script = [write("doc.md", "chapter\n" * n, "ok") for n in range(1, 14)]

    assert not watch(rule(), *script)


def test_a_here_document_that_grows_is_silent():
    script = [sh("cat > doc.md <<'EOF'\n" + "chapter\n" * n + "EOF", "") for n in range(1, 14)]

    assert not watch(rule(), *script)


def test_an_input_that_drops_something_begins_anew():
    script = [sh("a", "E", failed=True), sh("a b", "E", failed=True), sh("a b c", "E", failed=True)] * 4

    assert not watch(rule(), *script)
