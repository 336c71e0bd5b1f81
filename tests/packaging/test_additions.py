"""Additions that docs/architecture.md describes, made for trial on a copy of the package: they touch no other files.

Each trial changes a copy, and a process of its own uses the addition there and compares numbers. The oracle of
``verify`` is part of the trial of a load alone.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.trial import Trial

CHECKOUT = Path(__file__).resolve().parents[2]
PAGE = (CHECKOUT / "docs" / "architecture.md").read_text(encoding="utf-8")


def check_files(trial: Trial, addition: str, count: int) -> None:
    """The page's row of an addition names all files that were touched, and they are so many."""
    assert [path for path in sorted(trial.touched) if not named(addition, path)] == []
    assert len(trial.touched) == count, sorted(trial.touched)


def named(addition: str, path: str) -> bool:
    """Whether the row of an addition names a file, or the folder in which it is."""
    (files,) = re.findall(rf"^\| {addition} \| (.*?) \|", PAGE, re.MULTILINE)
    paths = re.findall(r"`([a-z_/]+(?:\.py)?)`", files)
    return any(path == own or (own.endswith("/") and path.startswith(own)) for own in paths)


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    return Trial(tmp_path)


def test_the_row_of_an_addition_names_its_files() -> None:
    assert named("load", "dynamics/elements/cubic_spring.py") and named("load", "description/loads.py")
    assert named("constraint between two places", "dynamics/loops/constraint_rows.py")  # see test_new_constraint.py
    assert named("constraint between two places", "description/loops.py")
    assert not named("load", "dynamics/tree/tree.py") and not named("load", "description/loads_of_links.py")


def add_cubic_spring(trial: Trial) -> None:
    """A load of joints, with its part of the oracle."""
    trial.put(
        "description/loads.py",
        "JOINT_LOADS: tuple",
        '''
        @dataclass(frozen=True, slots=True)
        class CubicSpring(Load):
            """A spring that stiffens: tau = stiffness * q^3."""

            key = "cubic_spring"
            words = "a cubic spring"
            title = "cubic springs of joints (tau = stiffness * q^3)"
            strengths = ("stiffness",)
            stiffness: Annotated[
                Number, Key(FOLDED, "[N m/rad^3 or N/m^3], at least 0", unit="N m/rad^3", sliding="N/m^3", least=0.0)
            ]


        ''',
    )
    trial.change("description/loads.py", "(Spring, BallSpring, ", "(CubicSpring, Spring, BallSpring, ")
    trial.add(
        "dynamics/elements/cubic_spring.py",
        '''
        """A cubic spring between a joint's two links: tau = k q^3, energy k q^4 / 4, slope 3 k q^2."""

        from functools import partial

        from symdyn.description.loads import CubicSpring
        from symdyn.dynamics.elements.base import ROW, SCALAR, Element, Gives, body_of, over_loads
        from symdyn.dynamics.tree.bindings import add_to, read, step
        from symdyn.dynamics.tree.places import DIAGONAL, Q


        def cubic_spring_force(variant, _, constants, reads):
            (x,) = variant.coordinates(reads["q"], constants)
            return {"tau": variant.forces([constants["stiffness"] * (x * x * x)], constants)}


        def cubic_spring_energy(variant, _, constants, reads):
            (x,) = variant.coordinates(reads["q"], constants)
            return {"energy": [0.25 * constants["stiffness"] * (x * x * (x * x))]}


        def cubic_spring_slope(variant, _, constants, reads):
            (x,) = variant.coordinates(reads["q"], constants)
            block = variant.entries([3.0 * constants["stiffness"] * (x * x)], constants)
            return {f"entry{place}": entries for place, entries in enumerate(block)}


        _step = partial(
            step,
            variant=lambda tree, spring: tree.joint(spring.body).kind.coordinate_map,
            body=body_of,
            q=read(Q.by(body_of)),
            constants=lambda b: b.constants,
        )
        _FORCE = _step(cubic_spring_force, tau=add_to(ROW.by(body_of)))
        _ENERGY = _step(cubic_spring_energy, energy=add_to(SCALAR))
        _SLOPE = _step(cubic_spring_slope, entry=add_to(DIAGONAL.by(body_of)))
        CUBIC_SPRING = Element(
            "cubic spring",
            {
                Gives.FORCE: over_loads(_FORCE, CubicSpring, "tau"),
                Gives.ELASTIC: over_loads(_FORCE, CubicSpring, "tau"),
                Gives.ENERGY: over_loads(_ENERGY, CubicSpring, "energy"),
                Gives.SLOPE_BY_Q: over_loads(_SLOPE, CubicSpring, "entry"),
            },
        )
        ''',
    )
    listed = "dynamics/elements/listed.py"
    trial.put(
        listed, "from symdyn.dynamics.elements.d", "from symdyn.dynamics.elements.cubic_spring import CUBIC_SPRING\n"
    )
    trial.change(listed, "    PARALLEL_SPRING,\n", "    PARALLEL_SPRING,\n    CUBIC_SPRING,\n")
    oracle = "verify/oracle/drives.py"
    trial.put(
        oracle,
        "from symdyn.description.robot import",
        "from symdyn.description.loads import CubicSpring\n",
    )
    trial.put(
        oracle,
        "def ball_springs(",
        """
        def cubic_springs(tree, quantities, q):
            for place in tree.places:
                own = place.joint.loads if place.names_body else ()
                for spring in (load for load in own if isinstance(load, CubicSpring)):
                    stiffness = quantities(spring.stiffness, f"{place.joint.name}.cubic_spring.stiffness")
                    yield place, stiffness, place.coordinates(q)[0]


        """,
    )
    trial.put(
        oracle,
        "    for place, sign, over, stiffness, damping, width in stops(",
        "    for place, stiffness, own in cubic_springs(tree, quantities, q):\n"
        "        for row, gain in place.moved_by(0):\n"
        "            tau[row] += gain * stiffness * own**3\n",
    )
    trial.change(
        oracle,
        "    return pressed + mp.fsum(",
        "    pressed += mp.fsum(k * own**4 / 4 for _, k, own in cubic_springs(tree, quantities, q))\n"
        "    return pressed + mp.fsum(",
    )


@pytest.mark.slow
@pytest.mark.every_case
def test_load(trial: Trial) -> None:
    add_cubic_spring(trial)
    trial.run(
        """
        from symdyn.compiler.tape.tape import operation_total

        bare = loads(PENDULUM)
        end = "-0.8], axis: [0, 1, 0]"
        sprung = loads(PENDULUM.replace(end, end + ", cubic_spring: {stiffness: 3.0}"))
        assert "cubic_spring" in sprung.to_yaml() and loads(sprung.to_yaml()).to_yaml() == sprung.to_yaml()
        q, v, a, jerk = [0.3, -0.7], [0.5, 1.1], [-0.2, 0.4], [0.9, -0.6]
        x, force = q[1], 3.0 * q[1] ** 3

        def both(function, given, **options):
            return [float_recursion(robot, function, **options)(given) for robot in (bare, sprung)]

        plain, found = both("inverse_dynamics", {"q": q, "v": v, "a": a})
        near(found["tau"], [plain["tau"][0], plain["tau"][1] + force])
        moved = float_recursion(sprung, "forward_dynamics")({"q": q, "v": v, "tau": found["tau"]})
        near(moved["a"], a)
        plain, stored = both("potential_energy", {"q": q})
        near(stored["energy"], [plain["energy"][0] + 0.75 * x**4])
        plain, slope = both("inverse_dynamics_partials", {"q": q, "v": v, "a": a})
        near(slope["dtau_dq"], [*plain["dtau_dq"][:3], plain["dtau_dq"][3] + 9.0 * x**2])
        near(slope["dtau_dv"], plain["dtau_dv"])
        plain, rates = both("inverse_dynamics_time_derivatives", {"q": q, "V": [*v, *a, *jerk]}, order=1)
        near(rates["tau"], [y + z for y, z in zip(plain["tau"], [0.0, force, 0.0, 9.0 * x**2 * v[1]])])
        (before,), (after,) = (programs(robot, ["inverse_dynamics"]) for robot in (bare, sprung))
        assert operation_total(after.counts()) - operation_total(before.counts()) == 4  # three products and a sum
        """
    )
    check_files(trial, "load", 4)


@pytest.mark.slow
@pytest.mark.every_case
def test_load_in_the_oracle(trial: Trial) -> None:
    add_cubic_spring(trial)
    trial.run(
        """
        end = "-0.8], axis: [0, 1, 0]"
        sprung = loads(PENDULUM.replace(end, end + ", cubic_spring: {stiffness: 3.0}"))
        functions = ["inverse_dynamics", "potential_energy", "inverse_dynamics_partials"]
        api.generate(sprung, functions, out="folder", target="python")
        report = api.verify("folder", states=2)
        assert report.passed, report
        """
    )


@pytest.mark.slow
@pytest.mark.every_case
def test_pass(trial: Trial) -> None:
    trial.add(
        "compiler/passes/tape/quadruple_by_adding.py",
        '''
        """4 x as (x + x) + (x + x), which is the same number in floating point."""

        from symdyn.compiler.passes.tape.builder import rewrite


        def quadruple_by_adding(tape):
            """Replace products with 4 by sums."""

            def quadrupled(builder, op):
                if op.code == "mul":
                    for x, factor in (op.args, op.args[::-1]):
                        if builder.ops[factor].literal == 4.0:
                            twice = builder.emit("add", x, x)
                            return builder.emit("add", twice, twice)
                return None

            return rewrite(tape, quadrupled)
        ''',
    )
    pipeline = "compiler/passes/pipeline.py"
    trial.put(
        pipeline,
        "from symdyn.compiler.passes.tape.drop_unused",
        "from symdyn.compiler.passes.tape.quadruple_by_adding import quadruple_by_adding\n",
    )
    trial.put(
        pipeline,
        '    Pass("drop_unused"',
        '    Pass("quadruple_by_adding", quadruple_by_adding, "Add instead of multiplying by four."),\n',
    )
    trial.run(
        """
        from symdyn.algebra.scalars.floats import FloatAlgebra
        from symdyn.compiler.passes import pipeline
        from symdyn.compiler.tape.evaluate import evaluate_program

        robot = loads(PENDULUM.replace("-0.8", "4.0"))

        def traced():
            (program,) = programs(robot, ["inverse_dynamics"], layout="unrolled")
            (tape,) = program.tapes
            fours = {at for at, op in enumerate(tape.ops) if op.code == "constant" and op.literal == 4.0}
            return program, sum(not fours.isdisjoint(op.args) for op in tape.ops), program.counts()["add"]

        program, products, sums = traced()
        given = {"q": [0.3, -0.7], "v": [0.5, 1.1], "a": [-0.2, 0.4]}
        found = evaluate_program(program, FloatAlgebra(), given)
        near(found["tau"], float_recursion(robot, "inverse_dynamics")(given)["tau"])
        pipeline.PIPELINE = tuple(item for item in pipeline.PIPELINE if item.name != "quadruple_by_adding")
        _, products_without, sums_without = traced()
        assert products == 0 and products_without > 0, (products, products_without)
        assert sums > sums_without, (sums, sums_without)
        """
    )
    check_files(trial, "pass", 2)


@pytest.mark.slow
@pytest.mark.every_case
def test_option(trial: Trial) -> None:
    options = "interface/options.py"
    trial.put(options, "    frames: Sequence[str] | None\n", "    stored: str | None\n")
    trial.put(
        options,
        "    frames: tuple[str, ...] | None = _option(",
        '    stored: str | None = _option("Whose potential energy: of all, or of weight.", ("all", "weight"))\n',
    )
    trial.change(options, "_WHERE_SAID = (", '_WHERE_SAID = ("stored", ')
    trial.put("functions/request.py", "    frames: tuple[int, ...] | None = None", '    stored: str = "all"\n')
    entry = "functions/centroidal.py"
    trial.change(
        entry,
        "lambda model, _: potential_energy_plan(model),",
        'lambda model, request: potential_energy_plan(model, request.stored),\n        takes=("stored",),',
    )
    energy = "dynamics/centroidal/energy.py"
    trial.change(
        energy,
        "def potential_energy_plan(model: Model)",
        'def potential_energy_plan(model: Model, stored_by: str = "all")',
    )
    trial.change(
        energy,
        "needed, stored = energy_sweeps(tree)",
        'needed, stored = energy_sweeps(tree) if stored_by == "all" else ([], [])',
    )
    trial.run(
        """
        end = "-0.8], axis: [0, 1, 0]"
        bare, sprung = loads(PENDULUM), loads(PENDULUM.replace(end, end + ", spring: {stiffness: 3.0}"))

        def energy(robot, **options):
            return float_recursion(robot, "potential_energy", **options)({"q": [0.3, -0.7]})["energy"][0]

        near([energy(sprung, stored="weight")], [energy(bare)])
        near([energy(sprung), energy(sprung, stored="all")], [energy(bare) + 1.5 * 0.49] * 2)
        (program,) = programs(sprung, ["potential_energy"], stored="weight")
        assert program.signature.options["stored"] == "weight"
        try:
            programs(sprung, ["potential_energy"], stored="none")
        except symdyn.SymdynError as refusal:
            assert "weight" in str(refusal)
        else:
            raise AssertionError
        """
    )
    check_files(trial, "option of a function", 4)


@pytest.mark.slow
@pytest.mark.every_case
def test_joint_that_is_a_chain(trial: Trial) -> None:
    trial.put("description/joint.py", '    FLOATING = "floating"', '    PIN_IN_SLOT = "pin_in_slot"\n')
    trial.put(
        "model/joints/described.py", "    JointKind.FLOATING:", "    JointKind.PIN_IN_SLOT: (PRISMATIC, REVOLUTE),\n"
    )
    trial.run(
        """
        elbow = "  elbow: {type: revolute, parent: upper, child: lower, translation: [0, 0, -0.8], axis: [0, 1, 0]}"
        assert elbow in PENDULUM
        one = "  elbow: {type: pin_in_slot, parent: upper, child: lower, translation: [0, 0, -0.8], axis: [1, 0, 0]}"
        two = (
            "  slot: {type: prismatic, parent: upper, child: pin, translation: [0, 0, -0.8], axis: [1, 0, 0]}\\n"
            "  elbow: {type: revolute, parent: pin, child: lower, axis: [0, 1, 0]}"
        )
        chain = loads(PENDULUM.replace(elbow, one))
        links = loads(PENDULUM.replace("  lower:", "  pin:\\n  lower:").replace(elbow, two))
        given = {"q": [0.3, 0.1, -0.7], "v": [0.5, 0.2, 1.1], "a": [-0.2, 0.7, 0.4]}
        for function in ("inverse_dynamics", "inverse_dynamics_partials"):
            for name, wanted in float_recursion(links, function)(given).items():
                near(float_recursion(chain, function)(given)[name], wanted)
        assert loads(chain.to_yaml()).to_yaml() == chain.to_yaml()
        """
    )
    check_files(trial, "joint", 2)


@pytest.mark.slow
@pytest.mark.every_case
def test_joint_with_a_class(trial: Trial) -> None:
    trial.put("description/joint.py", '    FLOATING = "floating"', '    QUARTER_SCREW = "quarter_screw"\n')
    trial.put(
        "model/joints/described.py",
        "from symdyn.model.joints.revolute",
        "from symdyn.model.joints.quarter_screw import QUARTER_SCREW\n",
    )
    trial.put(
        "model/joints/described.py", "    JointKind.FLOATING:", "    JointKind.QUARTER_SCREW: (QUARTER_SCREW,),\n"
    )
    trial.add(
        "model/joints/quarter_screw.py",
        '''
        """A screw that slides by 0.25 m per radian."""

        from dataclasses import dataclass

        from symdyn.algebra.spatial.exponential import screw_exponential
        from symdyn.algebra.spatial.rotations import AboutZ, turn
        from symdyn.algebra.spatial.vectors import scale
        from symdyn.model.joints.axial import AxialJoint
        from symdyn.model.joints.parts import Coordinates, JointMotion, JointPose


        @dataclass(frozen=True, slots=True)
        class QuarterScrew(AxialJoint):
            value = "quarter_screw"
            coordinates = Coordinates(("",), ("rad",), ("",), ("rad/s",))
            stored = 3
            constants = ()
            unit_axes = None
            unfelt = ("Szz",)
            moved_axes = (True, True, False)

            def pose(self, algebra, q, numbers):
                return [*algebra.sin_cos(q[0]), 0.25 * q[0]]

            def placed(self, stored):
                return JointPose(AboutZ(stored[0], stored[1]), [0.0, 0.0, stored[2]])

            def motion(self, pose, v, a, numbers):
                return JointMotion([0.0, 0.0, 0.25 * v[0]], [0.0, 0.0, v[0]], [0.0, 0.0, 0.25 * a[0]], [0.0, 0.0, a[0]])

            def force(self, pose, wrench, numbers):
                return [wrench[5] + 0.25 * wrench[2]]

            def displacement(self, algebra, screws, home, q):
                return screw_exponential(algebra, screws[0], q[0])

            def locked(self, axis, pitch, q):
                return turn(axis, q[0]), scale(0.25 * q[0], axis)


        QUARTER_SCREW = QuarterScrew()
        ''',
    )
    trial.run(
        """
        first = "shoulder: {type: revolute,"
        helical = loads(PENDULUM.replace(first, "shoulder: {type: helical, pitch: 0.25,"))
        screw = loads(PENDULUM.replace(first, "shoulder: {type: quarter_screw,"))
        given = {"q": [0.3, -0.7], "v": [0.5, 1.1], "a": [-0.2, 0.4], "tau": [1.0, 2.0]}
        for function in ("inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_dynamics_partials"):
            for name, wanted in float_recursion(helical, function)(given).items():
                near(float_recursion(screw, function)(given)[name], wanted)
        assert len(programs(screw, ["inverse_dynamics"])) == 1
        """
    )
    check_files(trial, "joint", 3)


@pytest.mark.slow
@pytest.mark.every_case
def test_target(trial: Trial) -> None:
    trial.add(
        "compiler/emit/floats.py",
        '''
        """Plain Python over the numbers of ``math``, one state at a time."""

        from symdyn.compiler.emit.docstrings import PYTHON_SCOPE
        from symdyn.compiler.emit.printing.dialect import Dialect
        from symdyn.compiler.emit.printing.literals import double_literal
        from symdyn.compiler.emit.python.kernels import NUMPY, PythonPrinter
        from symdyn.compiler.emit.source import SourceFile
        from symdyn.compiler.emit.tree.form_kernel import form_kernel
        from symdyn.compiler.emit.tree.loops import direct_names

        OPERATIONS = {
            code: text if "np." not in text else f"math.{code}({{0}})" for code, text in NUMPY.operations.items()
        }
        FLOATS = Dialect(OPERATIONS, double_literal, product="{0} * {1}")


        def emit(contents):
            """One module."""
            lines = ["import math"]
            for function in contents.functions:
                arguments = [PYTHON_SCOPE.name(argument.name) for argument in function.arguments]
                arrays = {buffer.name: PYTHON_SCOPE.name(buffer.name) for buffer in function.program.buffers}
                direct = function.tree.direct
                ins, outs = direct_names(direct.call, arrays)
                printer = PythonPrinter(form_kernel(direct.tape, *function.tree.direct_places()), ins, FLOATS)
                printer.print_nodes()
                lines.append(f"def {function.name}({', '.join(arguments)}):")
                lines += [f"    {line}" for line in printer.lines]
                for port, element, value, accumulate in printer.kernel.stores:
                    sign = "+=" if accumulate else "="
                    lines.append(f"    {outs[port]}[{element}] {sign} {printer.text[value]}")
            return (SourceFile(f"python/{contents.identifier}.py", "\\n".join(lines) + "\\n"),)
        ''',
    )
    targets = "interface/targets.py"
    trial.put(
        targets,
        "TARGETS: Mapping[str, Target] =",
        """
        FLOATS = Target("floats", "Python over math", ("floats",), ("python/*.py",), (), layouts=("auto", "unrolled"))
        """,
    )
    trial.change(targets, "(C, CPP, PYTHON, ", "(C, CPP, PYTHON, FLOATS, ")
    trial.run(
        """
        robot = loads(PENDULUM)
        files = sources(robot, ["inverse_dynamics", "forward_dynamics"], target="floats", layout="unrolled")
        (source,) = [file for file in files if file.path.endswith(".py")]
        assert "numpy" not in source.text
        module = {}
        exec(source.text, module)
        given = {"q": [0.3, -0.7], "v": [0.5, 1.1], "a": [-0.2, 0.4]}
        tau, a = [0.0, 0.0], [0.0, 0.0]
        module["inverse_dynamics"](given["q"], given["v"], given["a"], tau)
        near(tau, float_recursion(robot, "inverse_dynamics")(given)["tau"])
        module["forward_dynamics"](given["q"], given["v"], tau, a)
        near(a, given["a"])
        """
    )
    check_files(trial, "target language", 2)
