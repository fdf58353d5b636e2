"""The tools: confined, bounded, and clear about what went wrong."""

import asyncio
import json

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

from loopwatch.detectors.sameness.judge import Sameness
from loopwatch.detectors.step import Call, Result, Step
from loopwatch.engine.agent.tools.toolbox import Toolbox
from tests.engine.agent.processes import alive
from tests.engine.agent.scripted import served


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    (tmp_path / "outside.txt").write_text("secret")
    return folder


@pytest.fixture
def use(root):
    toolbox = Toolbox(root)

    async def call(tool, **arguments):
        return await toolbox.call(tool, arguments)

    return call


@pytest.mark.parametrize("path", ["../outside.txt", "/etc/passwd", "link.txt", "folder/../../outside.txt", "a\0b"])
@pytest.mark.parametrize("tool", ["read_file", "write_file", "edit_file", "list_dir", "search"])
async def test_nothing_outside_the_workspace_is_reached(use, root, tool, path):
    (root / "link.txt").symlink_to(root.parent / "outside.txt")
    (root / "folder").symlink_to(root.parent)
    extra = {
        "write_file": {"content": "x"},
        "edit_file": {"old": "secret", "new": "x"},
        "search": {"pattern": "secret"},
    }.get(tool, {})

    output = await use(tool, path=path, **extra)

    assert output.is_error
    assert output.text.startswith("path: ")
    assert (root.parent / "outside.txt").read_text() == "secret"


async def test_a_link_to_outside_is_not_searched(use, root):
    (root / "link.txt").symlink_to(root.parent / "outside.txt")

    assert (await use("search", pattern="secret")).text == "no matches"


async def test_files_are_written_read_in_parts_and_edited(use, root):
    await use("write_file", path="deep/a.txt", content="one\ntwo\nthree\n")

    assert (
        await use("read_file", path="deep/a.txt", offset=2, limit=1)
    ).text == "two\n[more follows: go on with offset 3]"
    assert "replaced 1" in (await use("edit_file", path="deep/a.txt", old="two", new="2")).text
    assert (root / "deep/a.txt").read_text() == "one\n2\nthree\n"
    assert "nothing changed" in (await use("write_file", path="deep/a.txt", content="one\n2\nthree\n")).text
    assert (await use("list_dir")).text == "deep/"
    assert (await use("search", pattern="th.ee", glob="*.txt")).text == "deep/a.txt:3: three"
    assert [path.name for path in (root / "deep").iterdir()] == ["a.txt"]


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("read_file", {"path": "absent"}, "no such file: absent"),
        ("read_file", {"path": "a.txt", "offset": 99}, "offset: a.txt has fewer than 99 lines"),
        ("read_file", {"path": "."}, "use list_dir"),
        ("list_dir", {"path": "a.txt"}, "use read_file"),
        ("edit_file", {"path": "a.txt", "old": "zz", "new": ""}, "old: this text does not occur"),
        ("edit_file", {"path": "a.txt", "old": "x", "new": ""}, "old: this text occurs 2 times"),
        ("search", {"pattern": "("}, "pattern: not a regular expression"),
        ("search", {"pattern": "(x+x+)+y", "path": "slow.txt"}, "pattern: takes too long"),
        ("fetch_url", {"url": "file:///etc/passwd"}, "url: "),
        ("fetch_url", {"url": "http://127.0.0.1:1/"}, "cannot fetch http://127.0.0.1:1/"),
        ("read_file", {}, "- path: field required"),
        ("read_file", {"path": "a.txt", "limit": "many"}, "- limit: "),
        ("read_file", {"path": "a.txt", "lines": 3}, "- lines: "),
        ("update_todo", {"items": [{"text": "x", "status": "later"}]}, "- items.0.status: "),
        ("no_such_tool", {}, "unknown tool 'no_such_tool'; there are: read_file"),
        (
            "edit_file",
            {"path": "b.txt", "old": "  one\ntwo", "new": ""},
            "the closest text begins at line 2:\n\tone\n\ttwo",
        ),
        ("edit_file", {"path": "b.txt", "old": "tree", "new": ""}, "the closest text begins at line 4:\n\tthree"),
        ("run_command", {"command": "a\0b"}, "command: holds a NUL character"),
        ("functions.read_file", {}, "usage: read_file(path, offset?, limit?)"),
        ("run_command", {"command": "exit 3"}, "Command exited with code 3"),
    ],
)
async def test_what_cannot_be_done_is_an_error_that_names_the_field(use, root, tool, arguments, words):
    (root / "a.txt").write_text("x x\n")
    (root / "b.txt").write_text("zero\n\tone\n\ttwo\n\tthree\n")
    (root / "slow.txt").write_text("x" * 500)

    output = await use(tool, **arguments)

    assert output.is_error
    assert words in output.text


@pytest.mark.parametrize("given", [None, "text", 7, ["a"], {"path": 3}])
async def test_arguments_of_any_kind_become_an_error_result(root, given):
    assert (await Toolbox(root).call("read_file", given)).is_error


async def test_binary_and_broken_text_is_shown(use, root):
    (root / "bin").write_bytes(b"\x7fELF\0\xff")
    (root / "latin.txt").write_bytes(b"caf\xe9\n")

    assert "binary file, 6 bytes" in (await use("read_file", path="bin")).text
    assert (await use("read_file", path="latin.txt")).text == "caf\\xe9\n"
    assert (await use("run_command", command=r"printf '\377\000ok'")).text == "\\xff\\x00ok"


async def test_binary_output_is_a_short_dump_and_no_character_is_cut_in_two(use):
    binary = await use("run_command", command="head -c 5000 /dev/zero")
    cut = await use("run_command", command="""python3 -c "print('x' + 'ü' * 40000)" """)

    assert binary.text.startswith("[binary output, 5000 bytes; it begins:]\n00 00 ")
    assert (binary.cut, len(binary.text) < 1_000) == (5_000 - 256, True)
    assert "\\x" not in cut.text
    assert cut.cut + cut.text.count("ü") == 40_000


async def test_a_line_of_any_length_is_read_in_bounded_memory(use, root):
    (root / "long.txt").write_bytes(b"a" * 3_000_000 + b"\nend\n")

    first = await use("read_file", path="long.txt")
    second = await use("read_file", path="long.txt", offset=2)

    assert first.text.endswith("… line cut, 2968001 more bytes\n[more follows: go on with offset 2]")
    assert second.text == "end\n"


async def test_an_edit_keeps_the_line_ends_and_bytes_it_does_not_understand(use, root):
    (root / "dos.txt").write_bytes(b"caf\xe9\r\none\r\ntwo\r\n")

    assert not (await use("edit_file", path="dos.txt", old="one\ntwo", new="1\n2")).is_error
    assert (root / "dos.txt").read_bytes() == b"caf\xe9\r\n1\r\n2\r\n"


async def test_edits_of_one_file_at_the_same_time_all_count(use, root):
    """A4: parallel calls."""
    words = [f"word{n}." for n in range(20)]
    (root / "a.txt").write_text("\n".join(words))

    outputs = await asyncio.gather(*(use("edit_file", path="a.txt", old=word, new=word.upper()) for word in words))

    assert not any(output.is_error for output in outputs)
    assert (root / "a.txt").read_text() == "\n".join(words).upper()


async def test_a_search_that_finds_nothing_is_no_failure_to_the_rules(use, root):
    """What the tool says and what the rules understand agree; a missing file is a failure to both."""
    (root / "a.txt").write_text("x\n")
    judge = Sameness(workspace=str(root))

    failed = []
    for index, command in enumerate(("grep zz a.txt", "grep zz absent.txt", "false")):
        output = await use("run_command", command=command)
        result = Result(output.text, is_error=output.is_error, exit_code=output.exit_code)
        step = Step(index, Call("run_command", {"command": command}), result)
        failed.append(judge.facts(step).failed)

    assert failed == [False, True, True]


async def test_a_page_is_fetched_as_a_reader_sees_it(use):
    page = "<html><style>p {}</style><body><h1>Title</h1><script>x()</script><p>One &amp; two</p></body></html>"

    async def answer(request):
        return HTMLResponse(page, status_code=404 if request.url.path == "/absent" else 200)

    async with served(Starlette(routes=[Route("/{path:path}", answer)])) as address:
        found = await use("fetch_url", url=f"{address}/page")
        absent = await use("fetch_url", url=f"{address}/absent")

    assert (found.text, found.is_error) == ("HTTP 200 OK\nTitle\nOne & two", False)
    assert (absent.text.splitlines()[0], absent.is_error) == ("HTTP 404 Not Found", True)


async def test_schemas_are_plain_enough_for_any_server(root):
    """No references, no titles: small servers resolve neither."""
    schemas = Toolbox(root).schemas()

    assert "$ref" not in json.dumps(schemas)
    assert '"title"' not in json.dumps(schemas)
    todo = next(schema["function"] for schema in schemas if schema["function"]["name"] == "update_todo")
    assert todo["parameters"]["properties"]["items"]["items"]["required"] == ["text"]


async def test_a_command_sees_no_keys_and_no_terminal(use, root, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-12345678")
    monkeypatch.setenv("MY_MODEL", "Bearer the-configured-key")

    output = await Toolbox(root, secrets=["the-configured-key"]).call("run_command", {"command": "env"})
    assert "the-configured-key" not in output.text
    output = await use("run_command", command="env; test -t 0 || echo no terminal; pwd")

    assert "sk-12345678" not in output.text
    assert "no terminal" in output.text


async def test_long_output_keeps_head_and_tail_and_says_what_was_cut(use):
    output = await use("run_command", command="echo begin; head -c 3000000 /dev/zero | tr '\\0' a; echo; echo end")

    assert output.text.startswith("begin\n")
    assert output.text.endswith("end\n")
    assert len(output.text) < 40_000
    assert output.cut == 3_000_000 + len("begin\n\nend\n") - 32_000
    assert f"[{output.cut} characters of output left out here]" in output.text
    assert len(output.digest) == 64


async def test_a_command_over_its_time_is_ended_with_all_it_started(use, root):
    output = await use("run_command", command="sleep 600 & echo $! > pid; echo begun; wait", timeout=0.3)

    assert output.is_error
    assert output.text == "begun\nCommand timed out after 0.3 s and was ended"
    assert not alive(root / "pid")


async def test_what_a_command_leaves_in_the_background_is_not_waited_for(use, root):
    output = await asyncio.wait_for(use("run_command", command="sleep 600 & echo $! > pid"), timeout=20)

    assert output.text == "(no output)\n[processes left in the background were ended]"
    assert not output.is_error
    assert not alive(root / "pid")


async def test_the_todo_list_is_kept(use):
    output = await use("update_todo", items=[{"text": "look", "status": "done"}, {"text": "mend"}])

    assert output.text == "[x] look\n[ ] mend"


async def test_a_command_cancelled_while_it_starts_is_ended(root, caplog):
    """C5: not even the start leaves a process behind, nor one that asyncio has lost track of."""
    toolbox = Toolbox(root)
    for turns in range(1, 6):
        running = asyncio.create_task(toolbox.call("run_command", {"command": "echo $$ > pid; exec sleep 600"}))
        for _ in range(turns):
            await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert not (root / "pid").exists() or not alive(root / "pid")

    assert "Unknown child" not in caplog.text
