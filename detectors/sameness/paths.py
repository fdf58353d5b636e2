"""When two paths or two URLs mean the same place (A10)."""

from __future__ import annotations

import posixpath
import re
from typing import Protocol
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

_DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}
_URL = re.compile(r"(?:https?|wss?|ftp)://\S+\Z", re.IGNORECASE)
_PLAIN = re.compile(r"[\w-][\w.@+-]{0,200}(?:/[\w-][\w.@+-]{0,200}){0,40}\Z")
"""A relative path that cannot be spelled shorter."""
_MAX_PATH = 4_096


class PathResolver(Protocol):
    """Follows symbolic links inside the workspace; rules do no I/O, so the engine hands one in."""

    def __call__(self, path: str) -> str:
        """Resolve an absolute path."""
        ...


class Places:
    """Names files the same way however a call spells them.

    Args:
        workspace: Absolute directory the agent works in; empty where unknown.
        resolve: Follows symbolic links; ``None`` compares by spelling alone.
    """

    def __init__(self, workspace: str = "", resolve: PathResolver | None = None) -> None:
        self._resolve = resolve
        self.workspace = posixpath.normpath(workspace) if workspace else ""
        if self.workspace and resolve is not None:
            self.workspace = resolve(self.workspace)

    def canonical(self, path: str, directory: str = "") -> str:
        """Relative to the workspace where it lies inside, absolute otherwise; ``.`` is the workspace itself.

        Args:
            path: As the call spells it, with ``./``, ``..``, stray white space or a trailing slash.
            directory: Where the call says it runs; relative to the workspace or absolute.
        """
        if not directory and self._resolve is None and _PLAIN.match(path):
            return path
        path = path.strip().removeprefix("file://")
        if not path:
            path = "."
        if len(path) > _MAX_PATH or "\0" in path:
            return path
        if path.startswith("/") and _PLAIN.match(path[1:]):
            whole = path
        else:
            whole = posixpath.normpath(posixpath.join(self.workspace, directory, path))
        if whole.startswith("//"):
            whole = whole[1:]
        if self._resolve is not None and whole.startswith("/"):
            whole = self._resolve(whole)
        if self.workspace and whole == self.workspace:
            return "."
        if self.workspace and whole.startswith(self.workspace + "/"):
            return whole[len(self.workspace) + 1 :]
        return whole


def is_url(text: str) -> bool:
    """Whether the whole text is one absolute URL."""
    return _URL.match(text) is not None


def canonical_url(url: str) -> str:
    """Scheme and host in small letters, no default port, no fragment, query in key order, no bare trailing slash."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port
        host = (parts.hostname or "").lower()
    except ValueError:
        return url.strip()
    scheme = parts.scheme.lower()
    if ":" in host:
        host = f"[{host}]"
    if port is not None and port != _DEFAULT_PORTS.get(scheme):
        host = f"{host}:{port}"
    if parts.username is not None:
        host = f"{quote(parts.username, errors='replace')}@{host}"
    query = parts.query
    if query:
        pairs = parse_qsl(query, keep_blank_values=True, errors="replace")
        query = urlencode(sorted(pairs), errors="replace") if pairs else query
    path = parts.path
    if "/." in path:
        path = posixpath.normpath(path)
    return urlunsplit((scheme, host, path if path != "/" else "", query, ""))
