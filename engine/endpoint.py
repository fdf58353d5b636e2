"""What an endpoint's address tells about it."""

from __future__ import annotations

from urllib.parse import urlsplit


def on_this_machine(base_url: str | None) -> bool:
    """Whether the model runs here: its tokens cost nothing, and no proxy stands between."""
    try:
        host = urlsplit(base_url or "").hostname or ""
    except ValueError:
        return False
    return host == "localhost" or host.startswith("127.") or host == "::1"
