"""What README, the tutorial and the pages for users of other libraries show, runs, block by block in their order."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from support.compilers import EIGEN, needs, needs_eigen
from support.pages import Block, blocks, run_page

PAGES = (
    "README.md",
    "docs/tutorial.md",
    "docs/elastic-joints.md",
    "docs/coming-from-pinocchio.md",
    "docs/coming-from-mujoco.md",
    "docs/casadi.md",
    "docs/inverse-kinematics.md",
    "docs/optimal-control.md",
    "docs/operational-space-control.md",
    "docs/design-optimisation.md",
    "docs/coming-from-casadi.md",
    "docs/batches.md",
    "docs/choose-an-integrator.md",
    "docs/closed-loops.md",
    "docs/floating-base.md",
    "docs/from-equation-to-function.md",
    "docs/joint-limits.md",
    "docs/loop-in-a-urdf.md",
    "docs/soft-arm-from-a-datasheet.md",
    "docs/which-derivative.md",
    "docs/python-api.md",
    pytest.param("docs/follow-a-moving-pose.md", marks=pytest.mark.slow),
)
C_PAGE, CPP_PAGE = "docs/from-python-to-c.md", "docs/cpp.md"
FLAGS = ["-std=c99", "-O1", "-Wall", "-Werror", "-ffp-contract=off", "-fno-tree-slp-vectorize", "-Iarm"]
PANDA = "".join(
    [
        '<robot name="panda"><link name="base"/>',
        *(
            f'<link name="link{n}"><inertial><origin xyz="0 0 0.1"/><mass value="1"/>'
            '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>'
            f'<joint name="joint{n}" type="revolute"><parent link="{"base" if n == 1 else f"link{n - 1}"}"/>'
            f'<child link="link{n}"/><origin xyz="0 0 0.2"/><axis xyz="{"0 0 1" if n % 2 else "0 1 0"}"/>'
            '<limit lower="-2" upper="2" effort="80" velocity="2"/></joint>'
            for n in range(1, 8)
        ),
        "</robot>",
    ]
)


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.mark.unit
@pytest.mark.parametrize("page", [*PAGES, C_PAGE, CPP_PAGE])
def test_every_block_is_of_a_kind_that_is_run(page: str) -> None:
    found = blocks(page)
    assert any(block.language in ("python", "sh") for block in found)
    assert [block for block in found if not block.file and block.language not in ("python", "sh", "c", "text")] == []


@pytest.mark.needs_cc
@pytest.mark.filterwarnings("default:crane.urdf")  # that page explains the warning
@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs(page: str, empty_folder: Path) -> None:
    (empty_folder / "panda.urdf").write_text(PANDA, encoding="utf-8")
    for number, snippet in enumerate(run_page(page)):
        if snippet.file:
            _check_program(snippet.file)
        else:
            _check_snippet(snippet, empty_folder / f"snippet{number}.c")


@pytest.mark.needs_cc
@needs("gcc")
def test_the_programs_in_c_run(empty_folder: Path) -> None:
    programs = [block.file for block in run_page(C_PAGE)]
    assert programs == ["main.c", "batch.c", "step.c", "control.c"]
    sources = [str(path) for path in sorted((empty_folder / "arm").glob("*.c"))]
    for source in sources:
        _gcc("-DSYMDYN_LANES", "-c", source, "-o", f"{Path(source).stem}.o")
    objects = [f"{Path(source).stem}.o" for source in sources]
    for program in programs:
        _gcc("-DSYMDYN_LANES", program, *objects, "-lm", "-o", "program")
        done = subprocess.run(["./program"], capture_output=True, text=True, check=True, timeout=60)
        assert all(abs(float(line)) < 1e3 for line in done.stdout.split()) and done.stdout


@pytest.mark.needs_cc
@needs("g++")
@needs_eigen
def test_the_programs_in_cpp_run(empty_folder: Path) -> None:
    run_page(CPP_PAGE)
    objects = []
    for source in sorted(empty_folder.glob("arm/*.c")):
        objects.append(f"{source.stem}.o")
        _gcc("-DSYMDYN_LANES", "-c", str(source), "-o", objects[-1])
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-Iarm", "-isystem", str(EIGEN)]
    printed = {}
    for program in ("arrays", "matrices", "batch"):
        command = ["g++", *flags, f"{program}.cpp", *objects, "-lm", "-o", program]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        assert (done.returncode, done.stderr) == (0, "")
        done = subprocess.run([f"./{program}"], capture_output=True, text=True, check=True, timeout=60)
        printed[program] = [float(word) for word in done.stdout.split()]
    first, last = printed["batch"]
    assert first == last and all(abs(value) < 1e3 for values in printed.values() for value in values)


def _check_program(file: str) -> None:
    """A program in C runs with the code in its folder, by default ``elastic``."""
    if shutil.which("gcc") is not None:
        folder = Path(file).parent if Path(file).parent.name else Path("elastic")
        sources = {file, *map(str, folder.glob("*.c"))}
        _gcc(f"-I{folder}", *sorted(sources), "-lm", "-o", "program")
        assert subprocess.run(["./program"], check=False, timeout=60).returncode == 0


def _check_snippet(snippet: Block, source: Path) -> None:
    """A few lines of C compile as the body of a function, for the panda."""
    heads = [line for line in snippet.text.splitlines() if line.startswith("#")]
    body = [line for line in snippet.text.splitlines() if not line.startswith("#")]
    state = "double q[7] = {0}, v[7] = {0}, a[7] = {0};"
    source.write_text("\n".join([*heads, "int main(void) {", state, *body, "return tau[0] > 1e9;", "}", ""]))
    folder = Path("generated/panda")
    if shutil.which("gcc") is not None:
        _gcc("-Wno-vla", f"-I{folder}", str(source), *map(str, folder.glob("*.c")), "-lm", "-o", "snippet")
        assert subprocess.run(["./snippet"], check=False, timeout=60).returncode == 0


def _gcc(*words: str) -> None:
    done = subprocess.run(["gcc", *FLAGS, *words], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
