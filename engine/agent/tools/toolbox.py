"""The tools an agent has: what they are called, what they take, and running one."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from loopwatch.engine.agent.tools import command, files, search, todo, web
from loopwatch.engine.agent.tools.workspace import ToolError, Workspace

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

MOST_CHARACTERS = 120_000
"""Of any result; what is cut is said."""


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a tool gave back."""

    text: str
    is_error: bool = False
    exit_code: int | None = None
    digest: str = ""
    """SHA-256 of the whole where ``text`` was cut."""
    cut: int = 0
    """Characters (bytes for commands) left out of ``text``."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool."""

    name: str
    arguments: type[files.Arguments]
    run: Callable[[Any], Awaitable[ToolOutput]]

    def schema(self) -> dict[str, Any]:
        """The tool in chat-completions form."""
        parameters = self.arguments.model_json_schema()
        parameters.pop("title", None)
        description = parameters.pop("description", "")
        return {
            "type": "function",
            "function": {"name": self.name, "description": description, "parameters": parameters},
        }


class Toolbox:
    """The eight tools of our own agent, confined to one workspace."""

    def __init__(self, root: Path) -> None:
        self.workspace = Workspace(root)
        self.todo = todo.TodoList()
        self._tools = {tool.name: tool for tool in self._all()}

    @property
    def names(self) -> tuple[str, ...]:
        """What the tools are called."""
        return tuple(self._tools)

    def schemas(self) -> list[dict[str, Any]]:
        """All tools in chat-completions form."""
        return [tool.schema() for tool in self._tools.values()]

    async def call(self, name: str, arguments: Any, *, malformed: bool = False) -> ToolOutput:
        """Run one tool. Whatever goes wrong inside becomes an error result; only cancellation passes through."""
        tool = self._tools.get(name)
        if tool is None:
            return ToolOutput(f"unknown tool {name!r}; there are: {', '.join(self._tools)}", is_error=True)
        if malformed:
            return ToolOutput("the arguments are no valid JSON, maybe cut off; nothing was done", is_error=True)
        try:
            return await tool.run(tool.arguments.model_validate(arguments))
        except ValidationError as error:
            return ToolOutput(_faults(name, error), is_error=True)
        except ToolError as error:
            return ToolOutput(str(error), is_error=True)
        except OSError as error:
            return ToolOutput(f"{error.strerror or error}: {error.filename or ''}".rstrip(": "), is_error=True)

    def _all(self) -> list[Tool]:
        workspace = self.workspace
        return [
            Tool("read_file", files.ReadFile, _in_thread(lambda given: files.read_file(workspace, given))),
            Tool("write_file", files.WriteFile, _in_thread(lambda given: files.write_file(workspace, given))),
            Tool("edit_file", files.EditFile, _in_thread(lambda given: files.edit_file(workspace, given))),
            Tool("list_dir", files.ListDir, _in_thread(lambda given: files.list_dir(workspace, given))),
            Tool("search", search.Search, _in_thread(lambda given: search.search(workspace, given))),
            Tool("run_command", command.RunCommand, self._run_command),
            Tool("fetch_url", web.FetchUrl, self._fetch_url),
            Tool("update_todo", todo.UpdateTodo, self._update_todo),
        ]

    async def _run_command(self, arguments: command.RunCommand) -> ToolOutput:
        outcome = await command.run_command(self.workspace, arguments)
        text, failed = outcome.text, True
        if outcome.timed_out:
            text = f"{text}\n[timed out after {arguments.timeout:g} s; the command was ended]".lstrip("\n")
        elif outcome.exit_code:
            text = f"{text.rstrip()}\n[exit code {outcome.exit_code}]".lstrip("\n")
        else:
            text, failed = text or "(no output)", False
        return ToolOutput(text, is_error=failed, exit_code=outcome.exit_code, digest=outcome.digest, cut=outcome.cut)

    async def _fetch_url(self, arguments: web.FetchUrl) -> ToolOutput:
        return _capped(await web.fetch_url(arguments))

    async def _update_todo(self, arguments: todo.UpdateTodo) -> ToolOutput:
        return ToolOutput(self.todo.update(arguments))


def _in_thread(work: Callable[[Any], str]) -> Callable[[Any], Awaitable[ToolOutput]]:
    """Disk work off the event loop."""

    async def run(arguments: Any) -> ToolOutput:
        return _capped(await asyncio.to_thread(work, arguments))

    return run


def _capped(text: str) -> ToolOutput:
    if len(text) <= MOST_CHARACTERS:
        return ToolOutput(text)
    half = MOST_CHARACTERS // 2
    cut = len(text) - 2 * half
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return ToolOutput(f"{text[:half]}\n[{cut} characters left out here]\n{text[-half:]}", digest=digest, cut=cut)


def _faults(tool: str, error: ValidationError) -> str:
    """The wrong fields, one a line, with what was expected."""
    lines = [f"invalid arguments for {tool}; nothing was done:"]
    for fault in error.errors(include_url=False, include_context=False)[:10]:
        where = ".".join(str(part) for part in fault["loc"]) or "arguments"
        lines.append(f"- {where}: {fault['msg'].lower()}")
    return "\n".join(lines)
