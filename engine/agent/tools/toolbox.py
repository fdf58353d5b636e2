"""The tools an agent has: what they are called, what they take, and running one."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from loopwatch.engine.agent.plain import whole_json
from loopwatch.engine.agent.tools import command, files, search, todo, web
from loopwatch.engine.agent.tools.schema import schema_of
from loopwatch.engine.agent.tools.workspace import ToolError, Workspace

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from pathlib import Path

MOST_CHARACTERS = 40_000
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
    """Characters left out of ``text``."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool."""

    name: str
    arguments: type[files.Arguments]
    run: Callable[[Any], Awaitable[ToolOutput]]

    def schema(self) -> dict[str, Any]:
        """The tool in chat-completions form."""
        parameters = schema_of(self.arguments)
        description = parameters.pop("description", "")
        return {
            "type": "function",
            "function": {"name": self.name, "description": description, "parameters": parameters},
        }

    def usage(self) -> str:
        """How to call it: ``read_file(path, offset?, limit?)``."""
        fields = (f"{name}{'' if field.is_required() else '?'}" for name, field in self.arguments.model_fields.items())
        return f"{self.name}({', '.join(fields)})"


class Toolbox:
    """The eight tools of our own agent, confined to one workspace."""

    def __init__(self, root: Path, *, secrets: Iterable[str] = ()) -> None:
        """Make the tools.

        Args:
            root: Existing folder.
            secrets: Values that no command may find in its environment.
        """
        self.workspace = Workspace(root)
        self._secrets = frozenset(secret for secret in secrets if secret)
        self.todo = todo.TodoList()
        self._writing = asyncio.Lock()
        self._tools = {tool.name: tool for tool in self._all()}

    @property
    def names(self) -> tuple[str, ...]:
        """What the tools are called."""
        return tuple(self._tools)

    def schemas(self) -> list[dict[str, Any]]:
        """All tools in chat-completions form."""
        return [tool.schema() for tool in self._tools.values()]

    async def call(self, name: str, arguments: Any) -> ToolOutput:
        """Run one tool. Whatever goes wrong inside becomes an error result; only cancellation passes through."""
        tool = self._tools.get(name) or self._tools.get(
            name.rpartition(".")[2]
        )  # some models write functions.read_file
        if tool is None:
            return ToolOutput(f"unknown tool {name!r}; there are: {', '.join(self._tools)}", is_error=True)
        try:
            return await tool.run(tool.arguments.model_validate(whole_json(arguments)))
        except ValidationError as error:
            return ToolOutput(_faults(tool, error), is_error=True)
        except ToolError as error:
            return ToolOutput(str(error), is_error=True)
        except OSError as error:
            return ToolOutput(f"{error.strerror or error}: {error.filename or ''}".rstrip(": "), is_error=True)
        except Exception as error:  # noqa: BLE001 - the model is told, and the run goes on
            return ToolOutput(f"{tool.name} failed: {type(error).__name__}: {error}", is_error=True)

    def _all(self) -> list[Tool]:
        workspace = self.workspace
        return [
            Tool("read_file", files.ReadFile, _in_thread(lambda given: files.read_file(workspace, given))),
            Tool("write_file", files.WriteFile, self._changing(lambda given: files.write_file(workspace, given))),
            Tool("edit_file", files.EditFile, self._changing(lambda given: files.edit_file(workspace, given))),
            Tool("list_dir", files.ListDir, _in_thread(lambda given: files.list_dir(workspace, given))),
            Tool("search", search.Search, self._search),
            Tool("run_command", command.RunCommand, self._run_command),
            Tool("fetch_url", web.FetchUrl, self._fetch_url),
            Tool("update_todo", todo.UpdateTodo, self._update_todo),
        ]

    def _changing(self, work: Callable[[Any], str]) -> Callable[[Any], Awaitable[ToolOutput]]:
        """One change after the other, in call order: two edits of one file must both count."""
        change = _in_thread(work)

        async def run(arguments: Any) -> ToolOutput:
            async with self._writing:
                return await change(arguments)

        return run

    async def _search(self, arguments: search.Search) -> ToolOutput:
        given_up = threading.Event()
        try:
            return _capped(await asyncio.to_thread(search.search, self.workspace, arguments, given_up))
        finally:
            given_up.set()

    async def _run_command(self, arguments: command.RunCommand) -> ToolOutput:
        environment = command.safe_environment(self._secrets)
        outcome = await command.run_command(self.workspace, arguments, environment=environment)
        lines = [outcome.text]
        if outcome.left_behind:
            lines.append("[processes left in the background were ended]")
        # The rules know these words: a search that found nothing is no failure.
        if outcome.timed_out:
            lines.append(f"Command timed out after {arguments.timeout:g} s and was ended")
        elif outcome.exit_code:
            lines.append(f"Command exited with code {outcome.exit_code}")
        if len(lines) > 1 or not outcome.text:
            lines[0] = outcome.text.rstrip("\n") or "(no output)"
        return ToolOutput(
            "\n".join(lines),
            is_error=outcome.timed_out or bool(outcome.exit_code),
            exit_code=outcome.exit_code,
            digest=outcome.digest,
            cut=outcome.cut,
        )

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


def _faults(tool: Tool, error: ValidationError) -> str:
    """The wrong fields, one a line, with what was expected."""
    lines = [f"invalid arguments for {tool.name}; nothing was done:"]
    for fault in error.errors(include_url=False, include_context=False)[:10]:
        where = ".".join(str(part) for part in fault["loc"]) or "arguments"
        lines.append(f"- {where}: {fault['msg'][:1].lower()}{fault['msg'][1:]}")
    return "\n".join([*lines, f"usage: {tool.usage()}"])
