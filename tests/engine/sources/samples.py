"""Small recordings in each foreign format, written from what the formats are known to look like."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

TASK = "Make the test pass."


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def claude_record(kind: str, content: Any, *, number: int, **extra: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": kind, "content": content}
    if kind == "assistant":
        message |= {"id": f"msg_{extra.pop('response', number)}", "type": "message", "model": "model-c"}
        message |= {"usage": {"input_tokens": 2, "cache_read_input_tokens": 30, "output_tokens": extra.pop("out", 5)}}
    return {
        "type": kind,
        "uuid": f"u{number}",
        "sessionId": "s1",
        "cwd": "/home/x/shop",
        "version": "2.1.0",
        "isSidechain": False,
        "timestamp": f"2026-01-01T00:00:{number:02}Z",
        "message": message,
        **extra,
    }


def tool_use(number: int, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments}


def tool_result(number: int, content: Any, **extra: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": content, **extra}


CLAUDE_SESSION = [
    {"type": "file-history-snapshot", "snapshot": {}},
    claude_record("user", TASK, number=1),
    claude_record("assistant", [{"type": "thinking", "thinking": "Look first."}], number=2, response="a", out=1),
    claude_record("assistant", [{"type": "text", "text": "I look."}], number=3, response="a", out=1),
    claude_record("assistant", [tool_use(1, "Bash", command="pytest")], number=4, response="a", out=1),
    claude_record("assistant", [tool_use(2, "Read", file_path="/a.py")], number=5, response="a", out=9),
    claude_record("user", [tool_result(2, [{"type": "text", "text": "1 x"}])], number=6),
    claude_record("user", [tool_result(1, "Exit code 1\nfailed", is_error=True)], number=7),
    {"type": "attachment", "attachment": {"type": "hook_additional_context", "content": ["Careful."]}},
    claude_record("assistant", [tool_use(3, "Bash", command="pytest -x")], number=8),
    {"type": "system", "subtype": "compact_boundary"},
    claude_record("user", "This session is being continued from a previous conversation.", number=9),
    claude_record("assistant", [tool_use(4, "Grep", pattern="x")], number=10, isSidechain=True, agentId="sub-1"),
    claude_record("user", [tool_result(4, "a.py:1")], number=11, isSidechain=True, agentId="sub-1"),
    {"type": "marvel", "sessionId": "s1"},
    claude_record("user", "Stop that.", number=12),
    claude_record("assistant", [{"type": "text", "text": "Done."}], number=13),
    claude_record("assistant", [tool_use(1, "Bash", command="pytest")], number=4, response="a", out=1),
]

CLAUDE_STREAM = [
    {"type": "system", "subtype": "init", "tools": ["Bash"], "model": "model-c", "cwd": "/w", "session_id": "s"},
    {"type": "stream_event", "event": {}},
    {
        "type": "assistant",
        "session_id": "s",
        "parent_tool_use_id": None,
        "message": {"id": "m1", "type": "message", "role": "assistant", "content": [tool_use(1, "Bash", command="ls")]},
    },
    {"type": "user", "session_id": "s", "message": {"role": "user", "content": [tool_result(1, "a", is_error=False)]}},
    {
        "type": "assistant",
        "session_id": "s",
        "parent_tool_use_id": "toolu_1",
        "message": {"id": "m2", "type": "message", "role": "assistant", "content": [tool_use(2, "Bash", command="ls")]},
    },
    {"type": "result", "subtype": "success", "num_turns": 2},
]


def rollout(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-01-01T00:00:01Z", "type": kind, "payload": payload}


def tokens(total: int, last: int) -> dict[str, Any]:
    info = {
        "total_token_usage": {"input_tokens": total},
        "last_token_usage": {"input_tokens": last, "output_tokens": 7},
    }
    return rollout("event_msg", type="token_count", info=info)


CODEX_ROLLOUT = [
    rollout("session_meta", id="t1", cwd="/w", cli_version="0.150.0"),
    rollout("response_item", type="message", role="user", content=[{"type": "input_text", "text": "<environment>"}]),
    rollout("event_msg", type="user_message", message=TASK),
    rollout("turn_context", cwd="/w", model="model-x"),
    rollout("response_item", type="reasoning", summary=[{"type": "summary_text", "text": "Think."}]),
    rollout("response_item", type="message", role="assistant", content=[{"type": "output_text", "text": "I test."}]),
    rollout("response_item", type="function_call", name="exec_command", arguments='{"cmd": "pytest"}', call_id="c1"),
    rollout("response_item", type="custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="c2"),
    tokens(100, 100),
    tokens(100, 100),
    rollout("response_item", type="function_call_output", call_id="c1", output="Process exited with code 1\nfailed"),
    rollout(
        "response_item",
        type="custom_tool_call_output",
        call_id="c2",
        output='{"output": "Success", "metadata": {"exit_code": 0, "duration_seconds": 0.5}}',
    ),
    rollout("response_item", type="function_call", name="shell", arguments='{"command": ["ls"', call_id="c3"),
    tokens(250, 150),
    rollout("response_item", type="function_call_output", call_id="c3", output={"content": "bad", "success": False}),
    rollout("compacted", message="…"),
    rollout("response_item", type="local_shell_call", call_id="c4", action={"command": ["ls"]}),
    rollout("response_item", type="novelty"),
    rollout("event_msg", type="task_complete"),
]

CODEX_EARLY = [
    {"id": "t1", "timestamp": "2025-05-01T00:00:00Z", "instructions": None},
    {"record_type": "state"},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": TASK}]},
    {"type": "function_call", "name": "shell", "arguments": '{"command": ["ls"]}', "call_id": "c1"},
    {"type": "function_call_output", "call_id": "c1", "output": "a"},
]


def chat_call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


SWE_AGENT = {
    "environment": "main",
    "trajectory": [
        {
            "action": "open a.py 3",
            "observation": "[File: a.py]",
            "response": "r",
            "thought": "I open it.",
            "execution_time": 0.25,
            "state": {"open_file": "/repo/a.py", "working_dir": "/repo"},
        },
        {"action": "", "observation": "Could not parse.", "response": "No command.", "thought": "", "state": {}},
        {"action": "edit 1:2\nx = 1\nend_of_edit", "observation": "File updated.", "thought": "t", "state": {}},
    ],
    "history": [
        {"role": "system", "content": "…", "message_type": "system_prompt"},
        {"role": "user", "content": TASK, "message_type": "observation"},
    ],
    "info": {"exit_status": "submitted"},
}

SWE_AGENT_CALLS = {
    "trajectory": [{"action": "bash 'ls'", "observation": "a", "thought": "", "state": {}}],
    "history": [
        {"role": "user", "content": TASK},
        {"message_type": "action", "role": "assistant", "tool_calls": [chat_call("d", "bash", "{}")], "is_demo": True},
        {
            "message_type": "action",
            "role": "assistant",
            "tool_calls": [chat_call("c1", "bash", '{"command": "ls"}')],
        },
    ],
    "info": {},
}

MINI_OLD = [
    {"role": "system", "content": "Answer with one block."},
    {"role": "user", "content": TASK},
    {"role": "assistant", "content": "I look.\n\n```bash\nls -la\n```"},
    {"role": "user", "content": "<returncode>2</returncode>\n<output>\nno such file\n</output>"},
    {"role": "assistant", "content": "I am lost."},
    {"role": "user", "content": "Please always provide EXACTLY ONE action."},
    {"role": "assistant", "content": "```mswea_bash_command\necho done\n```"},
    {"role": "user", "content": "done"},
]

MINI_NEW = {
    "info": {"exit_status": "Submitted", "model_stats": {"api_calls": 1}},
    "trajectory_format": "mini-swe-agent-1.1",
    "messages": [
        {"role": "system", "content": "…"},
        {"role": "user", "content": TASK},
        {"role": "assistant", "content": "", "tool_calls": [chat_call("c1", "bash", '{"command": "ls"}')]},
        {"role": "tool", "tool_call_id": "c1", "content": "<returncode>0</returncode>\n<output>\na\n</output>"},
        {"role": "exit", "content": "Submitted"},
    ],
}

MODEL_RESPONSE = {
    "id": "r1",
    "model": "model-o",
    "choices": [{"message": {"tool_calls": [chat_call("c1", "execute_bash", '{"command": "sleep 99"}')]}}],
    "usage": {"prompt_tokens": 11, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}},
}

OPENHANDS_V0 = [
    {"id": 0, "source": "environment", "observation": "agent_state_changed", "content": "", "extras": {}},
    {"id": 1, "source": "user", "action": "message", "args": {"content": TASK}},
    {
        "id": 2,
        "source": "agent",
        "timestamp": "2026-01-01T00:00:01",
        "action": "run",
        "args": {"command": "sleep 99", "thought": "I wait."},
        "tool_call_metadata": {"tool_call_id": "c1", "function_name": "execute_bash", "model_response": MODEL_RESPONSE},
    },
    {
        "id": 3,
        "source": "agent",
        "cause": 2,
        "observation": "run",
        "content": "still going",
        "extras": {"metadata": {"exit_code": -1}},
    },
    {"id": 4, "source": "agent", "action": "edit", "args": {"path": "/a", "thought": "t", "hidden": False}},
    {"id": 5, "source": "agent", "cause": 4, "observation": "error", "content": "no such file", "extras": {}},
    {"id": 6, "source": "agent", "action": "condensation", "args": {}},
    {"id": 7, "source": "agent", "action": "message", "args": {"content": "Done."}},
    {"id": 8, "source": "agent", "oddity": 1},
]


def sdk(kind: str, **fields: Any) -> dict[str, Any]:
    return {"id": "e", "timestamp": "2026-01-01T00:00:01", "kind": kind, **fields}


OPENHANDS_V1 = [
    sdk("ConversationStateUpdateEvent", source="environment", key="execution_status", value="running"),
    sdk("MessageEvent", source="user", llm_message={"role": "user", "content": [{"type": "text", "text": TASK}]}),
    sdk(
        "ActionEvent",
        source="agent",
        thought=[{"type": "text", "text": "I look."}],
        reasoning_content="Hm.",
        action={"command": "ls", "kind": "TerminalAction"},
        tool_name="terminal",
        tool_call_id="c1",
        tool_call={"arguments": '{"command": "ls", "summary": "List", "security_risk": "LOW"}'},
        llm_response_id="r1",
    ),
    sdk(
        "ActionEvent", source="agent", action={"path": "/a"}, tool_name="view", tool_call_id="c2", llm_response_id="r1"
    ),
    sdk(
        "ObservationEvent",
        source="environment",
        tool_call_id="c1",
        observation={"content": [{"type": "text", "text": "a"}], "is_error": False, "metadata": {"exit_code": 0}},
    ),
    sdk("AgentErrorEvent", source="agent", tool_call_id="c2", error="no such tool"),
    sdk("Condensation", source="agent"),
    sdk(
        "MessageEvent",
        source="agent",
        llm_message={"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
    ),
    {"kind": "Strange", "source": "agent"},
]

ATIF = {
    "schema_version": "ATIF-v1.6",
    "session_id": "s",
    "agent": {"name": "some-agent", "version": "1", "model_name": "model-h"},
    "steps": [
        {"step_id": 1, "source": "user", "message": TASK},
        {
            "step_id": 2,
            "timestamp": "2026-01-01T00:00:01Z",
            "source": "agent",
            "message": [{"type": "text", "text": "I look."}],
            "reasoning_content": "Hm.",
            "tool_calls": [{"tool_call_id": "c1", "function_name": "ls", "arguments": {"path": "."}}],
            "observation": {"results": [{"source_call_id": "c1", "content": "a"}]},
            "metrics": {"prompt_tokens": 11, "completion_tokens": 3, "cached_tokens": 4},
        },
        {
            "step_id": 3,
            "source": "system",
            "message": "Tool result for c2",
            "observation": {"type": "tool_result", "content": "denied", "result": {"success": False}},
        },
        {"step_id": 4, "source": "agent", "tool_calls": [{"id": "c2", "name": "Write", "arguments": {"path": "b"}}]},
        {"step_id": 5, "source": "system", "message": "bye"},
        {"step_id": 6, "source": "ghost"},
    ],
}

CHAT = [
    {"role": "system", "content": "Policy."},
    {"role": "user", "content": TASK},
    {"role": "assistant", "content": None, "tool_calls": [chat_call("c1", "find", '{"id": 1}')]},
    {"role": "tool", "tool_call_id": "c1", "content": "nothing"},
    {"role": "assistant", "content": None, "tool_calls": [chat_call("c1", "find", '{"id": 2')]},
    {"role": "tool", "tool_call_id": "c1", "content": "nothing either"},
    {"role": "assistant", "content": "There is none."},
]

TAU_BENCH = [{"task_id": 3, "trial": 1, "reward": 0.0, "traj": CHAT}, {"task_id": 4, "trial": 0, "traj": CHAT[:4]}]

INSPECT_EVAL = {"version": 2, "status": "success", "eval": {"task": "ctf", "model": "model-i"}}


def inspect_sample(number: int) -> dict[str, Any]:
    call = {"id": f"c{number}", "function": "bash", "arguments": {"cmd": "attachment://a1"}, "type": "function"}
    answer = {"role": "assistant", "source": "generate", "content": "attachment://a2", "tool_calls": [call]}
    return {
        "id": number,
        "epoch": 1,
        "messages": [
            {"role": "system", "content": "…"},
            {"role": "user", "source": "input", "content": TASK},
            answer,
            {
                "role": "tool",
                "tool_call_id": f"c{number}",
                "content": "",
                "error": {"type": "timeout", "message": "slow"},
            },
            {"role": "user", "content": "Go on."},
            {
                "role": "assistant",
                "content": [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "No."}],
            },
        ],
        "attachments": {"a1": "cat flag", "a2": "I look."},
        "events": [
            {"event": "state"},
            {
                "event": "model",
                "timestamp": "2026-01-01T00:00:01Z",
                "output": {
                    "choices": [{"message": answer, "stop_reason": "tool_calls"}],
                    "usage": {"input_tokens": 11, "output_tokens": 3},
                },
            },
        ],
    }


INSPECT_JSON = {**INSPECT_EVAL, "samples": [inspect_sample(1), inspect_sample(2)]}


def archive(members: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, value in members.items():
            file.writestr(name, json.dumps(value))
    return buffer.getvalue()


INSPECT_ARCHIVE = archive(
    {
        "header.json": INSPECT_EVAL,
        "samples/1_epoch_1.json": inspect_sample(1),
        "samples/2_epoch_1.json": inspect_sample(2),
        "summaries.json": [],
    }
)

LABELLED = [
    {"id": "t", "label": "stuck", "kind": "k", "onset": 1},
    {"i": 0, "tool": "ls", "args": {}, "result": "a", "is_error": False, "text": ""},
]

LINES = {
    "claude-code": CLAUDE_SESSION,
    "claude-stream-json": CLAUDE_STREAM,
    "codex-rollout": CODEX_ROLLOUT,
    "openhands-v1": OPENHANDS_V1,
    "labelled-trace": LABELLED,
}
DOCUMENTS = {
    "swe-agent": SWE_AGENT,
    "mini-swe-agent": MINI_NEW,
    "openhands-v0": OPENHANDS_V0,
    "openhands-v1": OPENHANDS_V1,
    "atif": ATIF,
    "tau-bench": TAU_BENCH,
    "inspect": INSPECT_JSON,
    "chat-messages": CHAT,
}
