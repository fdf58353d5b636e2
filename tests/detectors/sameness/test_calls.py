"""When two calls are one and the same."""

import pytest

from loopwatch.detectors.sameness import Sameness
from loopwatch.detectors.step import Call, Result, Step
from tests.detectors.sameness.looking import WORKSPACE, call_of, facts

SAME_FILE = [
    {"file_path": "/home/ann/shop/src/cart.py"},
    {"file_path": "/home/ann/shop/src/cart.py "},
    {"file_path": "src/cart.py"},
    {"file_path": "./src/cart.py"},
    {"file_path": "src//cart.py"},
    {"file_path": "src/../src/./cart.py"},
    {"file_path": "./../shop/src/cart.py"},
    {"file_path": "/home/ann/../ann/shop/src/cart.py"},
    {"file_path": "file:///home/ann/shop/src/cart.py"},
    {"path": "src/cart.py", "offset": 0},
    {"absolute_path": "/home/ann/shop/src/cart.py", "limit": None},
]


@pytest.mark.parametrize("arguments", SAME_FILE)
def test_a_file_is_the_same_however_its_path_is_spelled(arguments):
    """A10, A11."""
    assert call_of("Read", arguments) == call_of("Read", {"file_path": "src/cart.py"})


def test_the_evasive_repeats_of_the_original_are_one_call():
    """A10: from a sibling directory, with a trailing space."""
    same = Sameness(workspace="/work")
    paths = ["/tmp/a.txt", "/tmp/a.txt ", "./../tmp/a.txt"]

    assert len({same.facts(Step(0, Call("read_file", {"path": path}))).call for path in paths}) == 1


def test_a_link_inside_the_workspace_is_followed_by_the_resolver_that_was_handed_in():
    """A11."""

    def resolve(path: str) -> str:
        return path.replace("/current", "/releases/7")

    same = Sameness(workspace="/srv/app", resolve=resolve)
    one, other = (same.facts(Step(0, Call("Read", {"path": path}))) for path in ("current/a", "releases/7/a"))

    assert one.call == other.call
    assert one.target == "releases/7/a"


@pytest.mark.parametrize("tool", ["Read", "read_file", "view", "read", "mcp__filesystem__read_text_file", "ReadFile"])
def test_a_tool_by_another_name_reads_the_same_file(tool):
    """A11."""
    assert call_of(tool, {"path": "src/cart.py"}) == call_of("Read", {"file_path": "src/cart.py"})


def test_the_lines_that_are_read_belong_to_the_call():
    """A11."""
    whole = call_of("Read", {"path": "a.py"})
    ranges = [{"offset": 1, "limit": 40}, {"start_line": 1, "end_line": 40}, {"view_range": [1, 40]}]
    first = {call_of("Read", {"path": "a.py", **lines}) for lines in ranges}
    second = call_of("Read", {"path": "a.py", "offset": 41, "limit": 40})

    assert len(first) == 1
    assert len({whole, second, *first}) == 3


@pytest.mark.parametrize(
    ("lines", "span"),
    [
        ({}, None),
        ({"offset": 0}, None),
        ({"offset": 41, "limit": 40}, (41, 80)),
        ({"limit": 40}, (1, 40)),
        ({"start_line": 5, "end_line": 9}, (5, 9)),
        ({"view_range": [5, 9]}, (5, 9)),
        ({"view_range": [5, -1]}, (5, 1_000_000_000)),
        ({"start": 0, "end": -1}, None),
        ({"offset": "41", "limit": "40"}, (41, 80)),
        ({"offset": "soon", "limit": [1]}, None),
    ],
)
def test_a_ranged_read_tells_its_lines(lines, span):
    """M18, M40."""
    assert facts("Read", {"path": "a.py", **lines}).span == span


SAME_ARGUMENTS = [
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({"n": 1}, {"n": 1.0}),
    ({"a": 1}, {"a": 1, "b": None}),
    ({"q": {"x": 1, "y": [1, 2]}}, {"q": {"y": [1.0, 2], "x": 1, "z": None}}),
    ({"q": " gift card "}, {"q": "gift card"}),
    ({"sha": "9F86D081884C7D65"}, {"sha": "9f86d081884c7d65"}),
    ({"link": "HTTPS://Shop.Example:443/a#top"}, {"link": "https://shop.example/a"}),
    ({"link": "http://shop.example/a?y=2&x=1"}, {"link": "http://shop.example:80/a?x=1&y=2"}),
    ({"config_path": 1, "path": "./a/"}, {"config_path": 1, "path": "a"}),
]


@pytest.mark.parametrize(("one", "other"), SAME_ARGUMENTS)
def test_spelling_of_arguments_does_not_matter_for_unknown_tools(one, other):
    """A10, A11: key order, 1 and 1.0, absent and null, white space, digests, URLs."""
    assert call_of("frobnicate", one) == call_of("frobnicate", other)


OTHER_ARGUMENTS = [
    ({"n": 1}, {"n": 2}),
    ({"n": 1}, {"n": "1"}),
    ({"n": 1}, {"n": True}),
    ({"a": [1, 2]}, {"a": [2, 1]}),
    ({"a": 0}, {}),
    ({"q": "gift card"}, {"q": "giftcard"}),
    ({"link": "https://shop.example/a"}, {"link": "https://shop.example/A"}),
    ({"link": "https://shop.example/a?x=1"}, {"link": "https://shop.example/a?x=2"}),
    ({"link": "http://shop.example/a"}, {"link": "https://shop.example/a"}),
]


@pytest.mark.parametrize(("one", "other"), OTHER_ARGUMENTS)
def test_other_arguments_are_another_call(one, other):
    assert call_of("frobnicate", one) != call_of("frobnicate", other)


def test_another_unknown_tool_is_another_call():
    assert call_of("frobnicate", {"n": 1}) != call_of("defrobnicate", {"n": 1})


def test_what_is_only_said_to_the_reader_is_no_part_of_a_shell_call():
    """M28: the narration changes, the arguments do not."""
    plain = call_of("Bash", {"command": "make"})

    assert call_of("Bash", {"command": "make", "description": "Build once more", "timeout": 60_000}) == plain
    assert call_of("run_shell_command", {"command": "make", "description": "With another idea"}) == plain


def test_a_description_that_an_unknown_tool_stores_is_part_of_its_call():
    one, other = ({"title": "Bug", "description": text} for text in ("it breaks", "it burns"))

    assert call_of("create_ticket", one) != call_of("create_ticket", other)


@pytest.mark.parametrize(
    ("tool", "one", "other", "equal"),
    [
        ("Grep", {"pattern": "cart", "path": "src/"}, {"path": "./src", "pattern": "cart"}, True),
        ("Grep", {"pattern": "cart", "output_mode": "files_with_matches"}, {"pattern": "cart"}, True),
        ("Grep", {"pattern": "cart", "path": "src"}, {"pattern": "cart", "path": "lib"}, False),
        ("Grep", {"pattern": "cart", "-i": True}, {"pattern": "cart"}, False),
        ("Glob", {"pattern": "**/*.py", "path": "."}, {"pattern": "**/*.py", "path": WORKSPACE}, True),
        ("LS", {"path": "src/"}, {"path": "src"}, True),
        ("WebFetch", {"url": "https://a.example/#x", "prompt": "a"}, {"url": "https://A.example", "prompt": "b"}, True),
        ("WebFetch", {"url": "https://a.example/x"}, {"url": "https://a.example/y"}, False),
        ("Write", {"file_path": "a", "content": "x"}, {"path": "./a", "content": "x"}, True),
        ("Write", {"file_path": "a", "content": "x"}, {"file_path": "a", "content": "y"}, False),
        ("Edit", {"path": "a", "old_string": "x", "new_string": "y", "replace_all": False},
         {"file_path": "./a", "old_str": "x", "new_str": "y"}, True),
        ("Edit", {"path": "a", "old_string": "x", "new_string": "y"},
         {"path": "a", "old_string": "y", "new_string": "x"}, False),
    ],
)  # fmt: skip
def test_each_family_compares_what_matters_to_it(tool, one, other, equal):
    """A11."""
    assert (call_of(tool, one) == call_of(tool, other)) is equal


def test_raw_fingerprints_normalise_nothing():
    """A1, B1."""
    spelled = [{"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 1.0, "b": 2}, {"a": 1, "b": 2, "c": None}]

    assert len({facts("t", arguments).raw_call for arguments in spelled}) == 4
    assert facts("t", {"a": 1}).raw_call != facts("u", {"a": 1}).raw_call
    assert len({facts("t", {}, text).raw_result for text in ("ok", "ok ", "OK")}) == 3


@pytest.mark.parametrize(
    ("tool", "one", "other", "equal"),
    [
        ("read_file", {"path": "a", "offset": 1, "limit": 5}, {"limit": 5, "path": "a", "offset": 1}, True),
        ("read_file", {"path": "a", "offset": 1}, {"path": "a", "offset": 2}, False),
        ("read_file", {"path": "a"}, {"path": "./a"}, False),
        ("write_file", {"path": "a", "content": "x"}, {"path": "a", "content": "y"}, True),
        ("edit_file", {"path": "a", "old_string": "x", "new_string": "1"},
         {"path": "a", "old_string": "x", "new_string": "2"}, True),
        ("edit_file", {"path": "a", "old_string": "x", "new_string": "1"},
         {"path": "a", "old_string": "y", "new_string": "1"}, False),
        ("list_dir", {"path": "a", "depth": 1}, {"path": "a", "depth": 2}, True),
        ("bash", {"command": "ls", "timeout": 1}, {"command": "ls"}, True),
        ("bash", {"command": "ls"}, {"command": "ls "}, False),
        ("fetch_url", {"url": "http://a/", "raw": True}, {"url": "http://a/"}, True),
        ("frobnicate", {"a": 1}, {"a": 2}, False),
    ],
)  # fmt: skip
def test_the_repeat_guard_looks_at_its_own_fields_only(tool, one, other, equal):
    """D2."""
    assert (facts(tool, one).signature == facts(tool, other).signature) is equal


def test_a_patch_is_about_the_files_in_it():
    patch = "*** Begin Patch\n*** Update File: src/cart.py\n@@\n-a\n+b\n*** End Patch"
    step = facts("apply_patch", {"input": patch})

    assert (step.family, step.target) == ("edit", "src/cart.py")
    assert step.call == call_of("apply_patch", patch + "\n")


def test_arguments_that_were_cut_off_still_tell_the_file():
    """M17."""
    call = Call("write_file", '{"path": "src/cart.py", "content": "impor', malformed=True)

    assert Sameness(workspace=WORKSPACE).facts(Step(0, call)).target == "src/cart.py"


def test_a_call_before_it_runs_has_the_same_call_and_no_result():
    """D5."""
    same = Sameness()
    call = Call("bash", {"command": "make"})
    before = same.before(call, index=4, turn=2, agent="main")
    after = same.facts(Step(4, call, Result("done"), turn=2))

    assert (before.call, before.raw_call, before.signature) == (after.call, after.raw_call, after.signature)
    assert (before.result, before.failed, before.weak) == ("", False, False)


def test_without_turns_every_step_is_a_turn_of_its_own():
    assert [Sameness().facts(Step(i, Call("ls", {}))).turn for i in range(3)] == [0, 1, 2]


def test_replies_of_loopwatch_itself_are_neither_failure_nor_evidence():
    step = facts("bash", {"command": "make"}, "Error: blocked by loopwatch", flag=True, synthetic=True)

    assert step.synthetic
    assert not step.failed
