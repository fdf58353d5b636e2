"""What is shipped: one package with all its rooms and data, importable from anywhere."""

import email
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

NEEDED = 80
"""Major version of setuptools that pyproject.toml asks for; the development group brings it."""
pytestmark = pytest.mark.skipif(int(version("setuptools").split(".")[0]) < NEEDED, reason="setuptools is too old")

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("detectors", "engine", "themes", "tui")
DATA = (".toml", ".tcss")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Wheel and sdist, built from a copy so that nothing is left in the checkout."""
    source = tmp_path_factory.mktemp("source") / "checkout"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"):
        shutil.copy(ROOT / name, source)
    for name in (*ROOMS, "loopwatch"):
        shutil.copytree(ROOT / name, source / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    out = tmp_path_factory.mktemp("dist")
    build = (
        "import sys; from setuptools import build_meta as b; out = sys.argv[1]; b.build_sdist(out); b.build_wheel(out)"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    made = subprocess.run(
        [sys.executable, "-c", build, str(out)],
        cwd=source,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr[-2000:]
    return out


@pytest.fixture(scope="module")
def wheel(built):
    with zipfile.ZipFile(next(built.glob("*.whl"))) as archive:
        yield archive


def test_the_wheel_holds_every_module_and_data_file_of_the_four_rooms_and_nothing_beside_them(wheel):
    here = {
        f"loopwatch/{path.relative_to(ROOT).as_posix()}"
        for room in ROOMS
        for path in (ROOT / room).rglob("*")
        if path.suffix in {".py", *DATA}
    }
    shipped = {name for name in wheel.namelist() if ".dist-info/" not in name}

    assert shipped == here | {"loopwatch/__init__.py", "loopwatch/__main__.py", "loopwatch/py.typed"}
    assert {Path(name).suffix for name in shipped} >= set(DATA)


def test_the_wheel_says_what_it_is(wheel):
    info = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = email.message_from_bytes(wheel.read(info))
    entry_points = wheel.read(info.replace("METADATA", "entry_points.txt")).decode()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert metadata["Name"] == "loopwatch"
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Requires-Python"] == ">=3.11"
    assert len(metadata.get_all("Requires-Dist")) == len(project["dependencies"])
    assert "loopwatch = loopwatch.tui.cli:main" in entry_points
    assert wheel.read(info.replace("METADATA", "licenses/LICENSE")).startswith(b"MIT License")


def test_only_one_name_is_taken_on_the_import_path(wheel):
    assert {name.split("/")[0] for name in wheel.namelist() if ".dist-info/" not in name} == {"loopwatch"}


def test_the_sdist_can_be_built_from(built):
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {name.split("/", 1)[-1] for name in archive.getnames()}

    assert {"pyproject.toml", "README.md", "LICENSE", "loopwatch/tui/cli.py", "loopwatch/engine/events.py"} <= names


def test_the_wheel_runs_from_another_folder_even_beside_a_folder_of_the_same_name(built, tmp_path):
    installed = tmp_path / "installed"
    with zipfile.ZipFile(next(built.glob("*.whl"))) as archive:
        archive.extractall(installed)
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "__init__.py").write_text("raise SystemExit('the wrong engine')")
    code = "import loopwatch.tui.cli, loopwatch.engine.rehearsal.scenario as s; print(s.__file__, *s.scenario_names())"
    environment = os.environ | {"PYTHONPATH": f"{installed}{os.pathsep}{tmp_path}"}

    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )

    assert ran.stdout.startswith(str(installed))
    assert "secret-key" in ran.stdout
