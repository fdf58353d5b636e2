"""Files that are written again and again without a look at the outcome."""

from loopwatch.detectors.rules.churn import WriteChurn
from tests.detectors.build import edit, read, sh, steps_of, watch, write


def rule(**settings) -> WriteChurn:
    return WriteChurn(WriteChurn.Settings(**settings))


def versions(count, path="app.py"):
    return [write(path, f"version {n} of it\n") for n in range(count)]


def test_rewriting_one_file_without_looking_or_running_is_seen():
    """L12."""
    said = watch(rule(warn=6), *versions(9))

    assert steps_of(said) == [6, 7, 8]
    assert "rewritten 6 times" in said[0].message


def test_looking_between_raises_the_threshold():
    script = [step for version in versions(14) for step in (version, read("app.py"))]

    said = watch(rule(warn=6, looked=10), *script)

    assert said[0].count == 10


def test_any_run_between_starts_the_count_anew():
    """N02, F24."""
    script = [step for version in versions(20) for step in (version, sh("pytest -q", "1 failed"))]

    assert not watch(rule(), *script)


def test_different_edits_of_one_file_are_no_rewrites():
    """N09, F17."""
    assert not watch(rule(), *[edit("app.py", f"line {n}", f"better line {n}") for n in range(15)])


def test_edits_that_replace_each_other_are_rewrites():
    assert watch(rule(warn=6), *[edit("app.py", f"try {n}", f"try {n + 1}") for n in range(8)])


def test_a_text_that_grows_piece_by_piece_is_no_rewrite():
    """H77, D3: stepwise writing is normal."""
    assert not watch(rule(), *[write("doc.md", "chapter\n" * n) for n in range(1, 15)])


def test_writing_many_files_once_is_silent():
    assert not watch(rule(), *[write(f"f{n}.py", f"content {n}") for n in range(20)])
