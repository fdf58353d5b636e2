"""The agent's own list of what is to do."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from loopwatch.engine.agent.tools.files import Arguments

_MARKS = {"pending": "[ ]", "in_progress": "[>]", "done": "[x]"}


class TodoItem(Arguments):
    """One thing to do."""

    text: str = Field(min_length=1)
    status: Literal["pending", "in_progress", "done"] = "pending"


class UpdateTodo(Arguments):
    """Replace your to-do list; give all items."""

    items: tuple[TodoItem, ...] = Field(description="all items, in order")


class TodoList:
    """The list as it stands; one a run."""

    def __init__(self) -> None:
        self.items: tuple[TodoItem, ...] = ()

    def update(self, arguments: UpdateTodo) -> str:
        """Take the new list; answers it in full."""
        self.items = arguments.items
        return self.text()

    def text(self) -> str:
        """One line an item."""
        return "\n".join(f"{_MARKS[item.status]} {item.text}" for item in self.items) or "(nothing to do)"
