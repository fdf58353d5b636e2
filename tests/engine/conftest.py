"""What tests of the engine share: a state folder of their own, and no keys from outside."""

import pytest


@pytest.fixture(autouse=True)
def own_state(monkeypatch, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))
    monkeypatch.setenv("LOOPWATCH_STATE_DIR", str(home / "state"))
    monkeypatch.setenv("LOOPWATCH_CONFIG_DIR", str(home / "config"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return home


@pytest.fixture
def own_config(own_state):
    return own_state / "config"
