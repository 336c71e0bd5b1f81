"""Folders are opened by their name, and nothing of one is run that is not as it was generated."""

from __future__ import annotations

import copy
import inspect
import os
import pickle
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import get_context
from operator import methodcaller
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.errors import ArgumentError, RequestError, SymdynError, SymdynWarning, VerificationError
from symdyn.generation.companions import companions_of_folder
from symdyn.interface import processor
from symdyn.interface.manifest import FILE_NAME
from symdyn.interface.options import GenerateOptions
from symdyn.toolchain import cache, opened
from symdyn.toolchain.compile_and_load import build_into

Q = np.array([0.3])
FUNCTIONS = ["gravity", "inverse_dynamics"]


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in Python, which no test may change."""
    robot = symdyn.load_example("pendulum")
    return symdyn.generate(robot, FUNCTIONS, target="python", out=tmp_path_factory.mktemp("open") / "folder")


@pytest.fixture
def folder(generated: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(generated, tmp_path / "any name"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a compiled module, which no test may change."""
    robot = symdyn.load_example("pendulum")
    made = symdyn.generate(robot, FUNCTIONS, steppers=["rk4"], out=tmp_path_factory.mktemp("open") / "compiled")
    build_into(made)
    return made


@pytest.fixture
def compiled(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "any name"))


def extension(folder: Path) -> Path:
    [file] = (file for file in (folder / "python").iterdir() if file.suffix == ".so")
    return file


def in_a_worker(function: Callable[..., Any], *given: Any) -> Any:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *given).result(timeout=100)


def dirty(folder: Path) -> Path:
    """Put code into a folder that leaves a trace where it is run."""
    trace = folder.parent / "it was run"
    file = next((folder / "python").glob("*.py"))
    file.write_text(f"{file.read_text()}\nopen({str(trace)!r}, 'w').close()\n")
    return trace


def test_a_folder_in_python(folder: Path) -> None:
    module = symdyn.open(folder)
    assert module.path == folder / "python" / "pendulum.py"
    assert repr(module).startswith("<symdyn module of 'pendulum', python, float64: gravity(q)")
    assert module.gravity(Q) == symdyn.open(str(folder)).gravity(Q)
    assert module.gravity.__doc__ and "gravity" in repr(module.gravity)
    assert "gravity" in dir(module) and list(inspect.signature(module.gravity).parameters) == ["q", "out"]
    assert copy.copy(module) is copy.deepcopy(module) is module
    assert copy.copy(module.gravity) is copy.deepcopy(module.gravity) is module.gravity
    assert {module.gravity: 1}[symdyn.open(folder).gravity] == 1


def test_from_where_one_stands(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    module = symdyn.open(".")
    monkeypatch.chdir(folder.parent)
    assert pickle.loads(pickle.dumps(module)).gravity(Q) == module.gravity(Q)


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "no folder": (shutil.rmtree, "there is no folder"),
    "no manifest": (lambda folder: (folder / FILE_NAME).unlink(), "is not a generated folder"),
    "a foreign manifest": (lambda folder: (folder / FILE_NAME).write_text("{}"), "is not a manifest of symdyn"),
    "an edited manifest": (
        lambda folder: (folder / FILE_NAME).write_text((folder / FILE_NAME).read_text().replace("[N m]", "[N]", 1)),
        "manifest",
    ),
    "edited code": (dirty, r"the files differ from those that were generated: python/pendulum\.py; nothing of it"),
    "a file less": (lambda folder: (folder / "robot.yaml").unlink(), r"generated: robot\.yaml"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_is_not_as_it_was_generated_is_refused(folder: Path, damage: str) -> None:
    change, message = DAMAGE[damage]
    pickled = pickle.dumps(symdyn.open(folder).gravity)
    text = (folder / FILE_NAME).read_text()
    change(folder)
    if damage == "an edited manifest" and (folder / FILE_NAME).read_text() == text:
        (folder / FILE_NAME).write_text(text.replace("float64", "float32", 1))
    with pytest.raises(SymdynError, match=message) as caught:
        symdyn.open(folder)
    assert "\n" not in str(caught.value)
    assert not (folder.parent / "it was run").exists()
    if damage != "a file less":  # what is unpickled is the code that was pickled, and that is there
        with pytest.raises(SymdynError):
            pickle.loads(pickled)
        assert not (folder.parent / "it was run").exists()


def test_pipes_and_devices_do_not_wait(folder: Path) -> None:
    """Each file in turn, and what stands where the folder should."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    assert folder / FILE_NAME in files
    for place in files:
        kept = place.read_bytes()
        for device in (None, "/dev/zero"):
            place.unlink()
            os.mkfifo(place) if device is None else place.symlink_to(device)
            with pytest.raises(VerificationError):
                symdyn.open(folder)
            with suppress(SymdynError), warnings.catch_warnings():  # it ends, with or without the file
                warnings.simplefilter("ignore", SymdynWarning)
                symdyn.open(folder, trust=True)
        place.unlink()
        place.write_bytes(kept)
    os.mkfifo(folder.parent / "pipe")
    for place in (folder.parent / "pipe", Path("/dev/zero")):
        with pytest.raises(VerificationError, match="there is no folder"):
            symdyn.open(place)


def test_trusted_code_is_run_with_a_warning(folder: Path) -> None:
    trace = dirty(folder)
    with pytest.warns(SymdynWarning, match=r"python/pendulum\.py; its code is run all the same") as told:
        module = symdyn.open(folder, trust=True)
    assert [warning.filename for warning in told] == [__file__]
    assert trace.exists()
    # who pickled it has decided: the very same code is run again
    assert pickle.loads(pickle.dumps(module)).gravity(Q) == module.gravity(Q)


def test_what_is_no_path_is_refused() -> None:
    with pytest.raises(ArgumentError, match="folder is the name of a file or folder, got int"):
        symdyn.open(3)  # type: ignore[arg-type]


def test_what_cannot_be_read_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(VerificationError, match=r"cannot be read.*nothing of it was run"):
        symdyn.open("a" * 300)
    pickled = pickle.dumps(symdyn.open(folder))

    def refuse(path: Path) -> bool:
        raise PermissionError(f"no leave to read {path}")

    monkeypatch.setattr(Path, "is_dir", refuse)
    for again in (lambda: symdyn.open(folder), lambda: pickle.loads(pickled)):
        with pytest.raises(VerificationError, match=r"cannot be read.*no leave to read"):
            again()


def test_a_record_of_somebody_else_is_let_be(folder: Path) -> None:
    (folder / "record.json").write_text("[]")
    assert symdyn.open(folder).path == folder / "python" / "pendulum.py"


def test_spawned_workers_open_the_folder(folder: Path) -> None:
    module = symdyn.open(folder)
    assert in_a_worker(module.gravity, Q) == module.gravity(Q)
    assert in_a_worker(methodcaller("gravity", Q), module) == module.gravity(Q)


def test_a_worker_refuses_where_the_folder_is_gone(folder: Path) -> None:
    function = symdyn.open(folder).gravity
    shutil.rmtree(folder)
    with pytest.raises(BrokenProcessPool):
        in_a_worker(function, Q)


def test_what_is_made_without_a_cache_cannot_be_pickled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "open to all"))
    (tmp_path / "open to all").mkdir()
    (tmp_path / "open to all").chmod(0o777)
    module = symdyn.compile(symdyn.load_example("pendulum"), FUNCTIONS, target="python")
    assert module.path is None
    with pytest.raises(RequestError, match=r"lies in no folder.*symdyn\.generate.*symdyn\.open"):
        pickle.dumps(module)


def test_a_damaged_folder_in_the_cache_is_made_anew(empty_cache: Path) -> None:
    robot = symdyn.load_example("pendulum")
    first = symdyn.compile(robot, FUNCTIONS, target="python")
    assert first.path is not None
    text = first.path.read_text()
    first.path.write_text("raise SystemExit")
    assert symdyn.compile(robot, FUNCTIONS, target="python").gravity(Q) == first.gravity(Q)
    assert first.path.read_text() == text


@pytest.mark.needs_cc
def test_a_compiled_folder(compiled: Path) -> None:
    module = symdyn.open(compiled)
    assert module.path == extension(compiled)
    assert repr(module).startswith("<symdyn module of 'pendulum', c, float64: ")
    for name in (*FUNCTIONS, "step_rk4", "advance_rk4", "signature"):
        again = pickle.loads(pickle.dumps(getattr(module, name)))
        assert again.__name__ == name
    again = pickle.loads(pickle.dumps(module))
    assert again.gravity(Q) == module.gravity(Q)
    assert pickle.loads(pickle.dumps(module)) is again
    assert in_a_worker(module.gravity, Q) == module.gravity(Q)


@pytest.mark.needs_cc
def test_without_the_compiled_module_it_is_python(compiled: Path) -> None:
    before = symdyn.open(compiled)
    extension(compiled).unlink()
    module = symdyn.open(compiled)
    assert module.path == compiled / "python" / "pendulum.py"
    assert "pendulum', python, float64" in repr(module)
    np.testing.assert_allclose(module.gravity(Q), before.gravity(Q), rtol=1e-15)
    with pytest.raises(VerificationError, match="module that was pickled is not there any more"):
        pickle.loads(pickle.dumps(before))


@pytest.mark.needs_cc
def test_a_module_for_another_python_is_told_of(compiled: Path) -> None:
    file = extension(compiled)
    file.rename(file.with_name(f"{file.name.split('.')[0]}.cpython-399-other.so"))
    with pytest.warns(SymdynWarning, match="compiled for another Python; the module in Python is taken"):
        assert "python" in repr(symdyn.open(compiled))


@pytest.mark.needs_cc
def test_an_older_module_is_refused(compiled: Path) -> None:
    symdyn.generate(symdyn.load_example("pendulum", gravity=(0, 0, -1)), FUNCTIONS, out=compiled)
    with pytest.raises(VerificationError, match="was compiled before this folder was generated anew; compile"):
        symdyn.open(compiled)


@pytest.mark.needs_cc
def test_a_module_for_another_processor_is_refused(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pickled = pickle.dumps(symdyn.open(compiled))
    opened._reopened.cache_clear()
    monkeypatch.setattr(processor, "cpu_features", lambda: "another")
    with pytest.raises(VerificationError, match="was compiled for another processor; nothing of it was run"):
        symdyn.open(compiled)
    with pytest.raises(VerificationError, match="pickled was compiled for another processor; nothing of it was run"):
        pickle.loads(pickled)
    with pytest.warns(SymdynWarning, match="was compiled for another processor; its code is run all the same"):
        assert symdyn.open(compiled, trust=True).path == extension(compiled)


@pytest.mark.needs_cc
@pytest.mark.parametrize("damage", ["other bytes", "no record", "edited sources"])
def test_a_module_that_nothing_vouches_for_is_refused(compiled: Path, damage: str) -> None:
    file = extension(compiled)
    if damage == "edited sources":
        source = compiled / "pendulum_gravity.c"
        text = source.read_text()
        source.write_text(f"{text}/* by hand */\n")
        build_into(compiled)
        source.write_text(text)
        message = "was compiled from other files"
    elif damage == "no record":
        file.with_name(f"{file.name}.json").unlink()
        message = "no record of a build vouches for"
    else:
        file.write_bytes(file.read_bytes() + b"more")
        message = "no record of a build vouches for"
    with pytest.raises(VerificationError, match=message):
        symdyn.open(compiled)
    with pytest.warns(SymdynWarning, match=message):
        assert symdyn.open(compiled, trust=True).path == file


@pytest.mark.needs_cc
def test_modules_from_the_cache_are_pickled_by_their_entry() -> None:
    robot = symdyn.load_example("pendulum")
    for target, options in (("c", {"lanes": False}), ("python", {})):
        module = symdyn.compile(robot, ["gravity"], target=target, **options)
        assert module.path is not None
        assert pickle.loads(pickle.dumps(module.gravity))(Q) == module.gravity(Q)
    entry = symdyn.compile(robot, ["gravity"], lanes=False).path
    assert entry is not None
    assert symdyn.open(entry.parent).path == entry


@pytest.mark.needs_cc
def test_an_entry_that_was_changed_is_refused(empty_cache: Path) -> None:
    module = symdyn.compile(symdyn.load_example("pendulum"), ["gravity"], lanes=False)
    pickled = pickle.dumps(module.gravity)
    assert module.path is not None
    entry = module.path.parent
    whole = module.path.read_bytes()
    module.path.unlink()
    module.path.write_bytes(whole + b"more")
    with pytest.raises(VerificationError, match="has other contents now; nothing of it was run"):
        pickle.loads(pickled)
    with pytest.raises(VerificationError, match="no record of a build"):
        symdyn.open(entry)
    cache.clear()
    with pytest.raises(VerificationError, match="there is no folder"):
        pickle.loads(pickled)


@pytest.mark.needs_cc
def test_an_entry_of_another_python_is_refused(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = symdyn.compile(symdyn.load_example("pendulum"), ["gravity"], lanes=False).path
    assert path is not None
    monkeypatch.setattr(opened, "_SUFFIXES", {"extension": ".cpython-399.so"})
    with pytest.raises(VerificationError, match="holds no module for this Python"):
        symdyn.open(path.parent)


@pytest.mark.needs_cc
def test_a_pickle_is_read_in_a_new_process(compiled: Path, tmp_path: Path) -> None:
    file = tmp_path / "pickled"
    file.write_bytes(pickle.dumps(symdyn.open(compiled).gravity))
    script = "import pickle, sys; print(pickle.load(open(sys.argv[1], 'rb'))([0.3])[0])"
    command = [sys.executable, "-c", script, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert float(done.stdout) == symdyn.open(compiled).gravity(Q)[0]


def test_an_opened_module_keeps_its_robot_when_its_folder_gets_another(tmp_path: Path) -> None:
    text = "format: 1\nname: rod\nlinks:\n  base:\n  tip: {mass: %s, com: [0, 0, -0.5]}\njoints:\n" + (
        "  swing: {type: revolute, parent: base, child: tip, axis: [0, 1, 0]}\n"
    )
    light, heavy = (symdyn.loads(text % mass, "yaml") for mass in ("1.0", "50.0"))
    folder = tmp_path / "rod"
    symdyn.generate(light, ["inverse_dynamics"], target="python", out=folder)
    module = symdyn.open(folder)
    symdyn.generate(heavy, ["inverse_dynamics"], target="python", out=folder)
    given = (Q, Q, Q)
    wanted = symdyn.compile(light, ["inverse_dynamics_partials"], target="python").inverse_dynamics_partials(*given)
    assert module.maker is not None
    found = module.maker.make("inverse_dynamics_partials", "python").inverse_dynamics_partials(*given)
    np.testing.assert_array_equal(found, wanted)
    # A robot that is not the one of the manifest is none of the module's.
    manifest, other = module.manifest, symdyn.open(folder).manifest
    assert companions_of_folder(folder, other) is not None and companions_of_folder(folder, manifest) is None


def test_companions_have_no_steppers_or_solvers(tmp_path: Path) -> None:
    robot = symdyn.load_example("pendulum")
    folder = symdyn.generate(robot, ["gravity"], steppers=["rk4"], solvers=["statics"], out=tmp_path / "pendulum")
    made = companions_of_folder(folder, symdyn.open(folder).manifest)
    assert made is not None
    assert made._asked("mass_matrix", "c") == GenerateOptions(functions=("mass_matrix",))
