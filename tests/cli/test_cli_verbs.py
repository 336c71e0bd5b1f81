"""What each verb does when all is well."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdyn
import symdyn.api
from symdyn.description.yaml.write import write_yaml
from symdyn.functions.catalogue import CATALOGUE
from symdyn.interface.manifest import Manifest
from symdyn.verify.harness.report import EvaluatorResult, VerificationReport

Command = Callable[..., Any]


def lines_with(text: str, word: str) -> list[list[str]]:
    """Lines that hold a word, as words."""
    return [line.split() for line in text.splitlines() if word in line.split()]


def test_examples_lists_every_shipped_robot(symdyn_command: Command) -> None:
    outcome = symdyn_command("examples")
    assert (outcome.code, outcome.err) == (0, "")
    first_words = [line.split()[0] for line in outcome.out.splitlines() if line and not line.startswith(" ")]
    assert [name for name in symdyn.examples() if name not in first_words] == []


def test_info_states_order_units_limits_and_masses(symdyn_command: Command, arm_file: Path) -> None:
    outcome = symdyn_command("info", arm_file, "--joint-losses")
    assert (outcome.code, outcome.err) == (0, "")
    assert ["total", "mass", "3.5", "kg"] in lines_with(outcome.out, "total")
    assert ["0", "shoulder", "rad", "-1.5", "2.5"] in lines_with(outcome.out, "shoulder")
    assert ["0", "shoulder", "rad/s", "N", "m", "3", "40", "0.3", "0.1"] in lines_with(outcome.out, "shoulder")
    assert ["finger", "=", "0.05", "*", "elbow", "+", "0.01"] in lines_with(outcome.out, "finger")
    assert any("tip" in line and "lower" in line for line in lines_with(outcome.out, "finger"))
    (program,) = symdyn.api.programs(symdyn.load(arm_file, joint_losses=True), ["inverse_dynamics"])
    assert f"{program.counts()['mul']} mul" in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 80
    assert all(line == line.rstrip() for line in outcome.out.splitlines())


def test_info_repeats_what_is_not_modelled(symdyn_command: Command, arm_file: Path) -> None:
    outcome = symdyn_command("info", arm_file, "--no-counts")
    section = outcome.out.partition("read but not modelled")[2]
    assert "damping" in section and "'shoulder'" in section


@pytest.mark.parametrize(
    ("masses", "total"),
    [
        (("m", "g0 + m"), "(m + g0 + m) kg"),
        (("m", "m"), "2*m kg"),
        (("2*m", "2*m"), "2*(2*m) kg"),
        (("1.5", "m"), "(1.5 + m) kg"),
        (("1.5", "2"), "3.5 kg"),
    ],
)
def test_info_adds_masses_that_are_left_open(
    symdyn_command: Command, tmp_path: Path, masses: tuple[str, str], total: str
) -> None:
    path = tmp_path / "open.yaml"
    path.write_text(
        "name: open\n"
        "parameters: {m: {runtime: true}, g0: {runtime: true}}\n"
        f"links: {{base: {{}}, upper: {{mass: {masses[0]}}}, lower: {{mass: {masses[1]}}}}}\n"
        "joints:\n"
        "  shoulder: {type: revolute, parent: base, child: upper, axis: [0, 1, 0], translation: [0, 0, 1]}\n"
        "  elbow: {type: revolute, parent: upper, child: lower, axis: [1, 0, 0], translation: [0, 0, 1]}\n",
        encoding="utf-8",
    )
    outcome = symdyn_command("info", path, "--no-counts")
    assert outcome.code == 0, outcome.err
    assert ["total", "mass", *total.split()] in lines_with(outcome.out, "total")


def test_info_keeps_names_whole_where_columns_without_entries_leave_room(symdyn_command: Command) -> None:
    outcome = symdyn_command("info", "aerial_manipulator", "--no-counts")
    velocities = outcome.out.partition("velocities v")[2]
    assert ["6", "arm_1_joint_1", "rad/s", "N", "m"] in lines_with(velocities, "arm_1_joint_1")
    assert "friction" not in velocities


def test_info_shows_options_of_load(symdyn_command: Command) -> None:
    free = symdyn_command("info", "double_pendulum", "--floating-base", "--no-counts").out
    assert ["6", "root.qw", "1"] in lines_with(free, "root.qw")
    locked = symdyn_command("info", "double_pendulum", "--lock", "elbow=0.5", "--no-counts").out
    assert lines_with(locked, "elbow") == []
    open_mass = symdyn_command("info", "double_pendulum", "--runtime", "lower.mass", "--no-counts").out
    assert ["0", "lower.mass", "kg", "0.6"] in lines_with(open_mass, "lower.mass")
    spatial = symdyn_command("info", "aerial_manipulator", "--convention", "spatial", "--no-counts").out
    assert ["0", "root.wx", "rad/s", "N", "m"] in lines_with(spatial, "root.wx")
    tilted = symdyn_command("info", "pendulum", "--gravity", "0", "-1.62", "0", "--no-counts").out
    assert "(0, -1.62, 0) m/s^2" in tilted


def test_none_empties_what_the_file_holds(symdyn_command: Command, tmp_path: Path) -> None:
    robot = symdyn.load_example("double_pendulum", locked_joints={"elbow": 0.5}, runtime=["lower.mass"])
    (tmp_path / "robot.yaml").write_text(write_yaml(robot.resolved()), encoding="utf-8")
    kept = symdyn_command("info", "robot.yaml", "--no-counts").out
    assert lines_with(kept, "elbow") == [] and ["0", "lower.mass", "kg", "0.6"] in lines_with(kept, "lower.mass")
    freed = symdyn_command("info", "robot.yaml", "--lock", "none", "--runtime", "none", "--no-counts").out
    assert lines_with(freed, "elbow") and ["0", "lower.mass", "kg", "0.6"] not in lines_with(freed, "lower.mass")


def test_generate_writes_the_default_folder(symdyn_command: Command, tmp_path: Path) -> None:
    outcome = symdyn_command("generate", "pendulum")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines()[0] == str(Path("generated") / "pendulum")
    manifest = Manifest.from_json((tmp_path / "generated/pendulum/manifest.json").read_text(encoding="utf-8"))
    (entry,) = manifest.functions
    assert entry.python_name == "inverse_dynamics"
    assert str(entry.operations) in lines_with(outcome.out, "inverse_dynamics")[0]


def test_generate_passes_its_options_on(symdyn_command: Command, tmp_path: Path) -> None:
    outcome = symdyn_command(
        "generate", "double_pendulum", "-f", "inverse_dynamics", "--out", "here", "--layout", "rolled",
        "--dtype", "float32", "--external-wrenches", "world", "--runtime", "lower.mass", "--gravity", "0", "0", "-1.62",
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    manifest = Manifest.from_json((tmp_path / "here/manifest.json").read_text(encoding="utf-8"))
    (entry,) = manifest.functions
    assert (manifest.dtype, entry.layout) == ("float32", "rolled")
    assert [argument.name for argument in entry.signature.inputs] == ["q", "v", "a", "f_ext", "p"]
    assert list(manifest.load_options["gravity"]) == [0, 0, -1.62]


def test_generate_for_python_alone(symdyn_command: Command, tmp_path: Path) -> None:
    assert symdyn_command("generate", "pendulum", "--target", "python", "--out", "py").code == 0
    assert list((tmp_path / "py").glob("*.c")) == []
    assert list((tmp_path / "py" / "python").glob("*.py"))


def test_a_file_goes_before_an_example_of_its_name(symdyn_command: Command, arm_file: Path, tmp_path: Path) -> None:
    arm_file.rename(tmp_path / "pendulum")
    refused = symdyn_command("info", "pendulum", "--no-counts")
    assert refused.code == 2 and "pendulum" in refused.err  # a file, but with no suffix that says YAML


def test_info_lists_frames_and_how_friction_is_smoothed(symdyn_command: Command, tmp_path: Path) -> None:
    text = symdyn.load_example("double_pendulum").to_yaml()
    lost = "axis: [0.0, 1.0, 0.0]\n    losses: {friction: 2}"
    (tmp_path / "rubs.yaml").write_text(text.replace("axis: [0.0, 1.0, 0.0]", lost, 1))
    outcome = symdyn_command("info", "rubs.yaml", "--no-counts")
    robot = symdyn.load_example("double_pendulum")
    assert f"\n{', '.join(robot.frame_names)}\n" in outcome.out
    assert "friction F acts as F tanh(v / scale), where losses are included; scale: 0.01\n" in outcome.out
    assert "tanh" not in symdyn_command("info", "pendulum", "--no-counts").out


def test_info_lists_limits_that_some_joint_has(symdyn_command: Command, tmp_path: Path) -> None:
    text = symdyn.load_example("double_pendulum").to_yaml()
    axis = "axis: [0.0, 1.0, 0.0]\n"
    limits = "    limits: {lower: -1, upper: 1, effort: 3, acceleration: 7, deceleration: 6, jerk: 5}\n"
    (tmp_path / "fast.yaml").write_text(text.replace(axis, axis + limits, 1))
    lines = [" ".join(line.split()) for line in symdyn_command("info", "fast.yaml", "--no-counts").out.splitlines()]
    place = lines.index("row name unit of v unit of tau max tau max a max -a max jerk")
    assert "0 shoulder rad/s N m 3 7 6 5" in lines[place:]
    assert "jerk" not in symdyn_command("info", "double_pendulum", "--no-counts").out


def test_info_tells_laws_of_actuators_and_axes_of_loads(symdyn_command: Command, tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(
        "name: arm\nlinks: {base: , one: {mass: 1, com: [1, 0, 0]}, two: {mass: 1}}\n"
        "joints:\n  a: {type: revolute, parent: base, child: one, axis: [0, 0, 1]}\n"
        "  b: {type: spherical, parent: one, child: two}\n"
        "loads: {push: {link: two, force: [1, 0, 0], axes: world}, pull: {link: one, force: [0, 2, 0]}}\n"
        "actuators:\n- a\n- {name: servo, joints: {a: -2}, gain: 5, bias: [1, -5, 0]}\n"
        "- {name: damper, joints: {a: 3}, gain: [0, 0.5, -4]}\n"
        "- {name: ball, joints: {b: [0, 0, 3]}, bias: [0, 0, -0.5]}\n",
        encoding="utf-8",
    )
    out = symdyn_command("info", path, "--no-counts").out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    for line in (
        "0 a joint N m",
        "1 servo law 1 5 u + 1 - 5 l, l = -2 a",
        "2 damper law 1 0.5 l u - 4 l' u, l = 3 a",
        "3 ball law N m 1 u - 0.5 l', l' = (0 0 3) . v of b",
        "pull one body force.y = 2",
        "push two world force.x = 1",
    ):
        assert line in lines, out
    path.write_text(path.read_text(encoding="utf-8") + "absent_actuators: [a muscle]\n", encoding="utf-8")
    out = symdyn_command("info", path, "--no-counts").out
    assert "- a muscle" in out.partition("actuators without a counterpart")[2]


def test_functions_lists_the_catalogue(symdyn_command: Command) -> None:
    outcome = symdyn_command("functions")
    assert [line for line in outcome.out.splitlines() if not line.startswith(" ")] == list(CATALOGUE)


@pytest.mark.needs_cc
def test_compile_prints_lines_that_import_the_module(symdyn_command: Command, tmp_path: Path) -> None:
    outcome = symdyn_command("compile", "pendulum", "--out", "built")
    assert outcome.code == 0, outcome.err
    library, *lines = outcome.out.splitlines()[:3]
    assert (tmp_path / library).is_file()
    for line in lines:
        call = f"{line}\nprint(pendulum.inverse_dynamics([0.3], [0.0], [0.0])[0])"
        done = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, timeout=60, check=True)
        assert float(done.stdout) == pytest.approx(9.81 * 0.5 * np.sin(0.3), rel=1e-14)


@pytest.mark.needs_cc
def test_compile_shows_how_many_files_are_done(
    symdyn_command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shown: list[str] = []

    @contextmanager
    def listening(on: str) -> Iterator[Callable[[str, int, int], None]]:
        shown.append(on)
        yield lambda what, done, total: shown.append(f"{what}: {done}/{total}")

    monkeypatch.setattr("symdyn.cli.terminal.working_on", listening)
    monkeypatch.setenv("SYMDYN_CACHE_DIR", str(tmp_path / "fresh"))
    assert symdyn_command("compile", "pendulum", "--function", "gravity").code == 0
    files = 4  # the function, its batches in lanes, Python's extension, and what calls C in all extensions
    steps = [f"compiling, {done} of {files} files: {done}/{files}" for done in range(files + 1)]
    assert shown == ["generating pendulum", *steps]


@pytest.mark.needs_cc
def test_verify_passes_what_was_generated_and_refuses_what_was_changed(symdyn_command: Command, tmp_path: Path) -> None:
    assert symdyn_command("generate", "double_pendulum", "--out", "made").code == 0
    good = symdyn_command("verify", "made", "--states", "3")
    assert good.code == 0, good.err
    assert lines_with(good.out, "inverse_dynamics") and "FAIL" not in good.out
    source = next((tmp_path / "made").glob("*.c"))
    source.write_text(source.read_text(encoding="utf-8").replace(" + ", " - ", 1), encoding="utf-8")
    changed = symdyn_command("verify", "made", "--states", "3")
    assert changed.code == 2 and changed.err.startswith("error: ")


def test_verify_gives_code_1_where_a_function_differs(symdyn_command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    results = (
        EvaluatorResult("inverse_dynamics", "program", 3, 2.5, "random 1", 100.0),
        EvaluatorResult("inverse_dynamics", "compiled C", 3, 1e9, "zero angles", 100.0),
    )
    report = VerificationReport("arm", "float64", results)
    monkeypatch.setattr(symdyn.api, "verify", lambda *_, **__: report)
    outcome = symdyn_command("verify", "anywhere")
    assert outcome.code == 1 and outcome.err == ""
    assert "pass" in lines_with(outcome.out, "program")[0]
    assert "FAIL" in lines_with(outcome.out, "compiled")[0]


def test_trace_follows_a_coordinate_through_the_rooms(symdyn_command: Command) -> None:
    outcome = symdyn_command("trace", "double_pendulum", "elbow")
    assert (outcome.code, outcome.err) == (0, "")
    rooms = [line.split()[0] for line in outcome.out.splitlines() if line and not line.startswith((" ", "─"))]
    for room in ("description", "model", "functions", "tape", "emit"):
        assert any(found.startswith(room) for found in rooms), room
    assert "q[1]" in outcome.out


@pytest.mark.needs_cc
def test_demo_shows_the_whole_way(symdyn_command: Command) -> None:
    outcome = symdyn_command("demo", "double_pendulum")
    assert outcome.code == 0, outcome.err
    for row in ("symdyn unrolled", "symdyn rolled", "CasADi C"):
        (figures,) = [line.removeprefix(row).split() for line in outcome.out.splitlines() if line.startswith(row)]
        assert len(figures) == 6
        assert float(figures[0]) > 0 and float(figures[4]) > 0
    assert "FAIL" not in outcome.out and lines_with(outcome.out, "elbow")
    (checked,) = lines_with(outcome.out, "formulas")
    told = sum(int(word) for word in checked if word.isdigit() and word != "50")
    assert {row[-4] for row in lines_with(outcome.out, "pass")} == {str(told)}
    assert 'symdyn.load_example("double_pendulum")' in outcome.out


def test_info_tells_what_a_joint_follows(symdyn_command: Command, arm_file: Path) -> None:
    one = symdyn_command("info", arm_file, "--no-counts")
    assert one.code == 0 and "finger = 0.05 * elbow + 0.01" in one.out
    single, both = (
        "{joint: elbow, multiplier: 0.05, offset: 0.01}",
        "{joints: {elbow: 0.05, shoulder: -0.2}, offset: 0.01}",
    )
    text = arm_file.read_text(encoding="utf-8")
    assert single in text
    arm_file.write_text(text.replace(single, both), encoding="utf-8")
    two = symdyn_command("info", arm_file, "--no-counts")
    assert two.code == 0 and "finger = 0.05 * elbow + -0.2 * shoulder + 0.01" in two.out


def test_info_tells_drives_and_springs_of_a_joint_with_two_leaders(symdyn_command: Command, arm_file: Path) -> None:
    text, single = arm_file.read_text(encoding="utf-8"), "mimic: {joint: elbow, multiplier: 0.05, offset: 0.01}"
    assert single in text
    both = "mimic: {joints: {shoulder: 0.05, elbow: 0.1}}\n    actuator: {armature: 0.5}\n    spring: {stiffness: 4}"
    both += "\n    losses: {damping: 0.7}"
    arm_file.write_text(text.replace(single, both), encoding="utf-8")
    out = symdyn_command("info", arm_file, "--no-counts").out
    told = lines_with(out, "finger")
    assert ["0,", "1", "finger", "0.5", "kg"] in told and ["finger", "4", "0", "N/m,", "m"] in told
    assert "  its own damping and friction: 0.7, 0\n" in out
