"""Tools of one kind are told across vocabularies."""

import pytest

from loopwatch.detectors.sameness.facts import Effect
from tests.detectors.sameness.looking import facts

P = {"path": "a.py"}
E = {"path": "a.py", "old_string": "x", "new_string": "y"}
W = {"path": "a.py", "content": "x"}
C = {"command": "./go.sh"}
VOCABULARIES = {
    "claude-code": [
        ("Bash", C, "shell"), ("Read", {"file_path": "a"}, "read"), ("Edit", E, "edit"),
        ("MultiEdit", {"file_path": "a", "edits": []}, "edit"), ("Write", W, "write"), ("NotebookEdit", P, "edit"),
        ("Grep", {"pattern": "x"}, "search"), ("Glob", {"pattern": "*"}, "search"), ("LS", P, "list"),
        ("WebFetch", {"url": "http://a"}, "fetch"), ("WebSearch", {"query": "x"}, "search"),
        ("TodoWrite", {"todos": []}, "plan"), ("Task", {"prompt": "x"}, "delegate"),
        ("BashOutput", {"bash_id": "1"}, "poll"), ("AskUserQuestion", {"questions": []}, "ask"),
        ("ExitPlanMode", {"plan": "x"}, "plan"), ("TaskOutput", {"task_id": "1"}, "poll"),
    ],
    "codex": [
        ("shell", {"command": ["ls"]}, "shell"), ("exec_command", {"cmd": "ls"}, "shell"),
        ("write_stdin", {"session_id": 1, "chars": ""}, "poll"), ("apply_patch", {"input": "x"}, "edit"),
        ("update_plan", {"plan": []}, "plan"), ("view_image", P, "read"),
    ],
    "gemini-cli": [
        ("read_file", {"absolute_path": "/a"}, "read"), ("read_many_files", {"paths": ["a"]}, "read"),
        ("replace", E, "edit"), ("run_shell_command", C, "shell"), ("search_file_content", {"pattern": "x"}, "search"),
        ("list_directory", P, "list"), ("glob", {"pattern": "*"}, "search"), ("web_fetch", {"prompt": "x"}, "fetch"),
        ("save_memory", {"fact": "x"}, "write"), ("write_todos", {"todos": []}, "plan"),
        ("google_web_search", {"query": "x"}, "search"),
    ],
    "opencode": [
        ("bash", C, "shell"), ("read", {"filePath": "a"}, "read"), ("edit", {"filePath": "a"}, "edit"),
        ("write", {"filePath": "a", "content": ""}, "write"), ("grep", {"pattern": "x"}, "search"),
        ("list", P, "list"), ("todowrite", {"todos": []}, "plan"), ("task", {"prompt": "x"}, "delegate"),
        ("webfetch", {"url": "http://a"}, "fetch"),
    ],
    "openhands": [
        ("execute_bash", C, "shell"), ("str_replace_editor", {"command": "view", **P}, "read"),
        ("str_replace_editor", {"command": "create", "path": "a", "file_text": "x"}, "write"),
        ("str_replace_editor", {"command": "str_replace", "path": "a", "old_str": "x"}, "edit"),
        ("str_replace_editor", {"command": "insert", "path": "a", "insert_line": 1}, "edit"),
        ("str_replace_editor", {"command": "undo_edit", **P}, "edit"),
        ("execute_ipython_cell", {"code": "1"}, "shell"), ("browser_navigate", {"url": "http://a"}, "fetch"),
        ("browser_click", {"bid": "1"}, "other"), ("finish", {"message": "x"}, "other"),
        ("think", {"thought": "x"}, "plan"),
    ],
    "swe-agent": [
        ("open", "src/a.py 100", "read"), ("goto", "100", "read"), ("scroll_down", "", "read"),
        ("edit", "1:2\nx", "edit"),
        ("create", "a.py", "write"), ("find_file", '"a.py" src', "search"), ("search_dir", '"cart"', "search"),
        ("submit", "", "other"), ("str_replace_based_edit_tool", {"command": "view", **P}, "read"),
        ("python", "probe.py", "shell"), ("rm", "-f a", "shell"), ("./run.sh", "", "shell"),
    ],
    "openclaw": [("exec", C, "shell"), ("process", {"action": "log"}, "poll")],
    "mcp": [
        ("mcp__filesystem__read_text_file", P, "read"), ("mcp__filesystem__edit_file", {**P, "edits": []}, "edit"),
        ("mcp__filesystem__list_directory", P, "list"), ("mcp__shell__execute", C, "shell"),
        ("mcp__tracker__search", {"q": "x"}, "search"), ("mcp__tracker__open", {"id": 1}, "other"),
        ("mcp__tracker__create", {"title": "x"}, "other"), ("filesystem.read_file", P, "read"),
        ("tracker.get_ticket", {"id": 4}, "other"),
    ],
    "loopwatch": [
        ("read_file", P, "read"), ("write_file", W, "write"), ("edit_file", E, "edit"), ("list_dir", P, "list"),
        ("search", {"query": "x"}, "search"), ("run_command", C, "shell"), ("fetch_url", {"url": "http://a"}, "fetch"),
        ("update_todo", {"items": []}, "plan"),
    ],
    "unknown": [
        ("fetchWebPage", {"url": "http://a"}, "fetch"), ("code_search", {"query": "x"}, "search"),
        ("ViewSource", P, "read"), ("patch_source", E, "edit"), ("run_terminal_command", C, "shell"),
        ("frobnicate", {"old_string": "x", "new_string": "y", "path": "a"}, "edit"), ("frobnicate", {"n": 1}, "other"),
        ("transfer_to_planner", {"task": "x"}, "delegate"), ("ask_the_human", {"text": "x"}, "ask"),
    ],
}  # fmt: skip
CASES = [
    (f"{agent} {tool}", tool, arguments, family)
    for agent, tools in VOCABULARIES.items()
    for tool, arguments, family in tools
]


@pytest.mark.parametrize(("name", "tool", "arguments", "family"), CASES, ids=[case[0] for case in CASES])
def test_a_tool_belongs_to_its_family(name, tool, arguments, family):
    """A11."""
    assert facts(tool, arguments).family == family


@pytest.mark.parametrize(
    ("tool", "arguments", "effect"),
    [
        ("Read", P, Effect.READ), ("Grep", {"pattern": "x"}, Effect.READ), ("LS", P, Effect.READ),
        ("WebFetch", {"url": "http://a"}, Effect.READ), ("Write", W, Effect.WRITE), ("Edit", E, Effect.WRITE),
        ("BashOutput", {"bash_id": "1"}, Effect.POLL), ("TodoWrite", {"todos": []}, Effect.PLAN),
        ("AskUserQuestion", {}, Effect.ASK), ("Task", {"prompt": "x"}, Effect.DELEGATE),
        ("mcp__tracker__get_ticket", {"id": 1}, Effect.READ), ("mcp__tracker__close_ticket", {"id": 1}, Effect.EXECUTE),
    ],
)  # fmt: skip
def test_a_tool_does_what_its_family_does(tool, arguments, effect):
    """A14."""
    assert facts(tool, arguments).effect == effect


def test_a_hand_off_names_whom_it_goes_to():
    assert facts("transfer_to_planner", {"task": "x"}).target == "planner"
    assert facts("Task", {"subagent_type": "reviewer", "prompt": "x"}).target == "reviewer"


def test_renaming_a_file_everywhere_changes_nothing_but_its_name():
    for tool, arguments in (
        ("Read", {"path": "{}"}),
        ("Bash", {"command": "sed -i s/a/b/ {}"}),
        ("Edit", {**E, "path": "{}"}),
    ):
        one, other = (
            facts(tool, {key: value.format(name) for key, value in arguments.items()})
            for name in ("cart.py", "till.py")
        )
        assert (one.family, one.effect, one.span, one.failed) == (other.family, other.effect, other.span, other.failed)
        assert one.canonical_call.replace("cart.py", "till.py") == other.canonical_call
