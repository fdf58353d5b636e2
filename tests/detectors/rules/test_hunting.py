"""Looking for one thing everywhere and finding it nowhere."""

from loopwatch.detectors.finding import Level
from loopwatch.detectors.rules.hunting import Hunt
from tests.detectors.build import act, read, sh, steps_of, watch

PLACES = ["/usr", "/opt", "/lib", "/etc", "/var", "/home", "/srv", "/mnt", "/bin"]


def rule(**settings) -> Hunt:
    return Hunt(Hunt.Settings(**settings))


def find(place, name="javac", result=""):
    return sh(f"find {place} -type d -name '{name}*' 2>/dev/null", result)


def test_one_name_looked_for_in_folder_after_folder_in_vain_is_seen():
    """A13: not found, six ways."""
    said = watch(rule(warn=6), *[find(place) for place in PLACES])

    assert steps_of(said) == [5, 6, 7, 8]
    assert "“javac”" in said[0].message
    assert {finding.level for finding in said} == {Level.WARN}


def test_the_programs_used_for_looking_may_differ():
    script = [sh("which javac", ""), sh("env | grep javac", ""), sh("grep -rn javac /etc", ""), *map(find, PLACES[:3])]

    assert steps_of(watch(rule(warn=6), *script)) == [5]


def test_asking_whether_different_names_are_gone_is_silent():
    """N04, H61."""
    plain = [act("Grep", {"pattern": f"legacy{name}"}, "No matches found") for name in "ABCDEFGHIJ"]
    framed = [act("Grep", {"pattern": f"import legacy{name}"}, "No matches found") for name in "ABCDEFGHIJ"]

    assert not watch(rule(), *plain)
    assert not watch(rule(), *framed)


def test_a_word_that_is_mostly_found_is_no_hunt():
    script = [find(place, result="" if n % 3 == 0 else f"{place}/javac") for n, place in enumerate(PLACES * 3)]

    assert not watch(rule(), *script)


def test_any_action_starts_the_count_anew():
    script = [step for place in PLACES for step in (find(place), sh("python setup.py", "no"))]

    assert not watch(rule(), *script)


def test_reading_is_no_search():
    assert not watch(rule(), *[read(f"javac{n}", " ") for n in range(12)])


def test_other_spellings_of_the_same_words_are_one_search():
    """M16."""
    spelled = ["maxPressure", "max_pressure", "MAX_PRESSURE", "pressureMax", "pressure_max", "MaxPressure"]
    script = [act("Grep", {"pattern": name}, f'No matches found for pattern "{name}"') for name in spelled]

    assert steps_of(watch(rule(), *script)) == [5]
