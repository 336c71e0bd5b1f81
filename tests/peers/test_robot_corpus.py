"""Robot files that installed wheels carry: each is read, as Pinocchio reads it, or refused in one judged line."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from support.pinocchio.twins import make_peer, quietly
from support.robots.corpus import JUDGED, WHEELS, RobotFile, robot_files

import symdyn

pytestmark = pytest.mark.peers
FILES = robot_files()
ALL = [file for files in FILES.values() for file in files]


def read(file: RobotFile, **options: bool | str) -> symdyn.Robot | symdyn.SymdynError:
    try:
        return quietly(lambda: symdyn.load(file.path, **options))
    except symdyn.SymdynError as refusal:
        return refusal


def options_of(file: RobotFile) -> dict[str, bool]:
    """What the judgement of a file says that it is to be loaded with."""
    return next((row.mended_by for row in file.judged() if row.mended_by), {})


@pytest.fixture(scope="module")
def outcomes() -> dict[str, symdyn.Robot | symdyn.SymdynError]:
    """Every file as it is read without options."""
    return {file.name: read(file) for file in ALL}


def test_the_corpus_is_there() -> None:
    assert len(FILES[WHEELS[0]]) > 60
    assert sum(file.name.endswith(".urdf") for file in FILES[WHEELS[0]]) > 60


def test_every_refusal_is_one_judged_line(outcomes: dict[str, Any]) -> None:
    unjudged = []
    for file in ALL:
        refusal = outcomes[file.name]
        if isinstance(refusal, symdyn.Robot):
            continue
        text, rows = str(refusal), file.judged()
        assert refusal.exit_code == 2 and text.isprintable() and len(text) < 600, text
        assert text.startswith(file.path.name), text
        if len(rows) != 1 or not re.search(rows[0].words, text):
            unjudged.append((file.name, text))
    assert unjudged == []


def test_robots_stand_on_the_ground_or_are_refused_with_a_remedy() -> None:
    """All collision shapes against z = 0, for each third file; ``benchmarks/ground_contacts.py`` has all of them."""
    remedies = ("write ground: true, and ", "give a file of contacts", "load with repair=True", "describe at least one")
    told, remedy = list[str](), re.compile("|".join(remedies))
    for file in [own for own in FILES[WHEELS[0]] if own.name.endswith(".urdf")][::3]:
        outcome = read(file, floating_base=True, contacts="ground")
        if isinstance(outcome, symdyn.Robot):
            assert outcome.model.contacts.slots
        else:
            told.append(str(outcome))
            assert remedy.search(told[-1]) and told[-1].isprintable(), told[-1]
    assert 10 <= len(told) <= 18


def test_no_judgement_is_idle(outcomes: dict[str, Any]) -> None:
    """A row of the table that refuses nothing any more is to be deleted; those of absent wheels cannot be told."""
    refused = [file for file in ALL if not isinstance(outcomes[file.name], symdyn.Robot)]
    idle = [row.pattern for row in JUDGED if not any(row in file.judged() for file in refused)]
    assert set(FILES) != set(WHEELS) or idle == []
    assert all(row.judgement for row in JUDGED)


def test_what_a_refusal_names_reads_the_file(outcomes: dict[str, Any]) -> None:
    for file in ALL:
        refusal, options = outcomes[file.name], options_of(file)
        if isinstance(refusal, symdyn.Robot) or not options:
            continue
        assert all(f"{option}=True" in str(refusal) for option in options), file.name
        mended = read(file, **options)
        assert isinstance(mended, symdyn.Robot), (file.name, mended)


def pinocchio_model(file: RobotFile, floating: bool) -> Any | None:
    """What Pinocchio makes of a file, or None where it refuses it."""
    try:
        return pin.buildModelFromUrdf(str(file.path), *((pin.JointModelFreeFlyer(),) if floating else ()))
    except (ValueError, RuntimeError, IndexError):
        return None


@pytest.mark.parametrize("wheel", FILES)
def test_what_is_read_is_what_pinocchio_reads(wheel: str, outcomes: dict[str, Any]) -> None:
    compared = 0
    wrong = []
    for file in FILES[wheel]:
        options = options_of(file)
        robot = read(file, **options) if options else outcomes[file.name]
        if not isinstance(robot, symdyn.Robot) or (model := pinocchio_model(file, "floating_base" in options)) is None:
            continue
        if any("nearest physical" in repair for repair in robot.description.repairs):
            continue  # Pinocchio computes with the inertia that no body has
        if model.names[1:2].tolist() == ["root_joint"]:
            model.names[1] = "root"
        peer = make_peer(robot, model, {})
        followers = sum(joint.mimic is not None for joint in robot.description.joints)
        q, v, a = (values[0] for values in peer.states(1, seed=len(file.name)))
        expected = peer.inverse_dynamics(q, v, a)
        found = symdyn.api.float_recursion(robot, "inverse_dynamics")(
            {"q": q.tolist(), "v": v.tolist(), "a": a.tolist()}
        )
        error = float(np.linalg.norm(np.array(found["tau"]) - expected))
        if model.nv - followers != robot.nv or error > 1e-10 * np.linalg.norm(expected):
            wrong.append((file.name, model.nv, followers, robot.nv, error / np.linalg.norm(expected)))
        compared += 1
    assert wrong == []
    assert compared >= 0.95 * sum(isinstance(outcomes[file.name], symdyn.Robot) for file in FILES[wheel])
