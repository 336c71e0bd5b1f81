"""Files of motions and of inputs with mistakes: each is read, or refused in one line, in under 5 s.

    cd tests; python -m support.fuzz.trajectory_mutants --count 20000 --seed 7

Files of ``Trajectory.save`` and of two arrays for ``symdyn view`` (.npz), and tables of inputs for ``symdyn simulate``
(.csv) take turns. Arrays are dropped, renamed, and replaced by others; headers of arrays, records in JSON and the zip
file around them are edited; bytes are changed and cut. A trajectory that is read must be the same once saved and read
again, and is evaluated between its times.
"""

from __future__ import annotations

import dataclasses
import functools
import io
import json
import random
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import symdyn
from support.fuzz.campaign import Outcome, command, judged
from support.fuzz.mutation import NAMES, TEXT, encoded, mutant
from support.fuzz.trees import NUMBERS, edited
from symdyn.analysis.simulation.given import given_inputs
from symdyn.analysis.simulation.trajectory import robot_hash
from symdyn.analysis.view.motion import read_motion, resampled
from symdyn.cli.simulate import _inputs

ROBOTS = ("pendulum", "aerial_manipulator", "four_bar")
"""One row; a free base, whose quaternions must be unit; and multipliers."""
_RECORDS = ("counters", "timings", "messages")
Members = list[tuple[str, bytes]]


@functools.cache
def _robot(name: str) -> symdyn.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return symdyn.load_example(name)


@functools.cache
def _arrays(name: str, whole: bool) -> dict[str, Any]:
    """Arrays of a motion that never was: nothing is compiled."""
    robot, rng = _robot(name), np.random.default_rng(3)
    t = np.linspace(0.0, 0.4, 9)
    v = rng.normal(size=(9, robot.nv))
    q = robot.integrate(robot.neutral(), np.outer(t, v[0]))
    if not whole:
        return {"t": t, "q": q}
    many = 3 if robot.constraints else 0
    made = symdyn.Trajectory(
        *(robot.name, robot_hash(robot), "dop853", robot.coordinate_names, robot.velocity_names),
        *(tuple(f"row {k}" for k in range(many)), robot.velocity_names, t, q, v, v, rng.normal(size=(9, many)), v),
        *(np.ones(9), np.ones(9), {"touch": np.array([0.1])}, {"steps": 8}, {"integration": 0.5}, ("it stopped",)),
        reason="it is smooth",
    )
    stream = {own.name: getattr(made, own.name) for own in dataclasses.fields(made)}
    del stream["robot"]
    events = {f"event {key}": times for key, times in stream.pop("events").items()}
    return {**stream, **{key: json.dumps(stream[key]) for key in _RECORDS}, **events}


def _other_array(old: Any, rng: random.Random) -> Any:
    """Another array in place of one."""
    array = np.array(old)
    kinds = ("f2", ">f8", "i1", "c16", "?", "U3", "S4", "M8[s]", "m8[s]", "V4", "O", "f4,i4", "u8", "g")
    number = rng.choice(NUMBERS)
    changes: tuple[Callable[[], Any], ...] = (
        lambda: np.zeros(array.shape, rng.choice(kinds)),
        lambda: np.zeros(rng.choice(((), (0,), (1,), (2, 2), (9, 0), (0, 9), (9, 9), (1,) * 32, (3, 0, 10**9)))),
        lambda: array.T,
        lambda: array[::-1] if array.ndim else array[None],
        lambda: array[..., None],
        lambda: array[:-1] if array.ndim else array,
        lambda: np.concatenate([array, array]) if array.ndim else array,
        lambda: np.full(array.shape, float(number)),
        lambda: np.array(
            rng.choice((*NAMES, "[" * 100_000, '{"a":' * 5000, "1e999", "NaN", '"\\ud800"', "[]", "null"))
        ),
        lambda: np.array([rng.choice(NAMES)] * (len(array) if array.ndim else 1)),
        lambda: array * -1.0 if array.dtype.kind == "f" else array,
        lambda: array + float(number) if array.dtype.kind == "f" else array,
    )
    return rng.choice(changes)()


def _one_number(old: Any, rng: random.Random) -> Any:
    array = np.array(old)
    if array.dtype.kind == "f" and array.size:
        array.flat[rng.randrange(array.size)] = float(rng.choice(NUMBERS))
    return array


def _record(old: Any, rng: random.Random) -> Any:
    """JSON with edits, or text with edits."""
    if rng.random() < 0.6:
        return np.array(json.dumps(edited({"x": json.loads(str(old))}, rng).get("x", rng.choice(NUMBERS))))
    return np.array(rng.choice(TEXT)(str(old), rng).encode("utf-8", "replace").decode("utf-8"))


def _with_other_arrays(arrays: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    found = dict(arrays)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        name = rng.choice(list(found) or ["t"])
        match rng.randrange(9):
            case 0:
                found.pop(name, None)
            case 1:
                found[rng.choice((*arrays, *NAMES, f"event {rng.choice(NAMES)}"))] = found.get(name, 1.0)
            case 2 | 3:
                found[name] = _one_number(found.get(name, 1.0), rng)
            case 4 if _RECORDS[1] in found and rng.random() < 0.5:
                for own in ("v", "a", "velocity_names"):
                    found[own] = np.array(arrays[own])[..., :-1]
            case 4 if _RECORDS[0] in found:
                record = rng.choice(_RECORDS)
                found[record] = _record(arrays[record], rng)
            case _:
                found[name] = _other_array(found.get(name, 1.0), rng)
    return found


def _members(arrays: dict[str, Any]) -> Members:
    found = []
    for name, value in arrays.items():
        stream = io.BytesIO()
        np.lib.format.write_array(stream, np.asanyarray(value), allow_pickle=True)
        found.append((f"{name}.npy", stream.getvalue()))
    return found


def _edited_header(members: Members, rng: random.Random) -> Members:
    """The header of an array says something else; its length fits, or does not."""
    at = rng.randrange(len(members))
    name, data = members[at]
    size = struct.unpack_from("<H", data, 8)[0] if len(data) > 10 else 0
    header = data[10 : 10 + size].decode("latin-1")
    shape = rng.choice(
        ("(10**9,)", "(-1,)", f"({10**30},)", "(9.0,)", "9", "(True,)", "(None,)", "((9,),)", "(" * 3000)
    )
    told = rng.choice((
        header.replace(header[header.find("(") : header.rfind(")") + 1], shape),
        header.replace("<f8", rng.choice(("<f4", ">f8", "|O", "<U1", "<U0", "|V0", "x", "<f8" * 99, "[('a','<f8')]"))),
        header.replace("False", rng.choice(("True", "0", "None", "__import__('os')"))), header.replace("'", ""),
        rng.choice(TEXT)(header, rng), header + " " * 20_000, "{}" + header, "[" * 5000,
    )).encode("latin-1", "replace")  # fmt: skip
    start = data[:8] if rng.random() < 0.8 else data[:6] + bytes([rng.randrange(5), rng.randrange(3)])
    length = struct.pack("<H", (len(told) if rng.random() < 0.8 else rng.choice((0, 1, size, 65535))) & 0xFFFF)
    return [*members[:at], (name, start + length + told + data[10 + size :]), *members[at + 1 :]]


def _zipped(members: Members, rng: random.Random) -> bytes:
    """A zip file; one in three has an odd structure."""
    stream, odd = io.BytesIO(), rng.random() < 0.35
    method = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    if odd:
        method = rng.choice((method, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
        extra = rng.choice(("../x.npy", "/x.npy", "a/", "x", "t.npy", "q.npy", "é.npy", "a\\b.npy", "x" * 3000))
        members = [*members, (extra, rng.choice((b"", b"x", members[0][1] if members else b"")))]
        rng.shuffle(members)
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in members:
            if name not in archive.NameToInfo:
                archive.writestr(name, data)
        archive.comment = b"c" * rng.choice((0, 0, 5, 65535)) if odd else b""
    return _broken(bytearray(stream.getvalue()), rng) if odd else stream.getvalue()


def _broken(data: bytearray, rng: random.Random) -> bytes:
    """A field of the zip file's own records, or any byte, says something else; or a stretch is missing."""
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        mark = rng.choice((b"PK\1\2", b"PK\3\4", b"PK\5\6"))
        starts = [at for at in range(len(data)) if data.startswith(mark, at)]
        match rng.randrange(5):
            case 0 | 1 if starts:
                at = rng.choice(starts) + 4 + rng.randrange(42)
                new = rng.choice((b"\0", b"\xff", b"\xff" * 4, b"\0" * 4, b"\1", b"\x63", struct.pack("<I", 2**31)))
                data[at : at + len(new)] = new
            case 2:
                del data[rng.randrange(len(data) + 1) :]
            case 3:
                at = rng.randrange(len(data) + 1)
                data[at : at + rng.choice((0, 1, 30))] = rng.randbytes(rng.choice((0, 1, 4, 70)))
            case _ if data:
                data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


def _used(name: str, given: bool, path: Path) -> str:
    robot = _robot(name)
    try:
        found = symdyn.Trajectory.load(path, robot if given else None)
    finally:
        _moved(robot, path)
    assert repr(found).isprintable(), repr(found)
    assert all(isinstance(own, str) for own in (found.robot_name, found.method, *found.messages, found.reason))
    assert all(isinstance(own, tuple) for own in (found.coordinate_names, found.velocity_names, found.messages))
    copy = path.with_name("copy.npz")
    found.save(copy)
    again = symdyn.Trajectory.load(copy, robot if given else None)
    for own in dataclasses.fields(found):
        one, other = getattr(found, own.name), getattr(again, own.name)
        same = np.array_equal(one, other, equal_nan=True) if isinstance(one, np.ndarray) else str(one) == str(other)
        assert same, f"{own.name} is another once saved"
    if given:
        found.at(0.5 * found.t[0] + 0.5 * found.t[-1])
    return "read with its robot" if given else "read"


def _moved(robot: symdyn.Robot, path: Path) -> None:
    try:
        resampled(robot, read_motion(robot, path), 60.0)
    except symdyn.SymdynError as failure:
        assert failure.exit_code == 2 and str(failure).isprintable(), repr(failure)


def _seen(name: str, path: Path) -> str:
    resampled(_robot(name), read_motion(_robot(name), path), 60.0)
    return "read"


def _motion(whole: bool, rng: random.Random) -> tuple[bytes, str]:
    name = rng.choice(ROBOTS)
    arrays, draw = _arrays(name, whole), rng.random()
    members = _members(_with_other_arrays(arrays, rng) if draw < 0.75 else arrays)
    if members and draw > 0.65:
        members = _edited_header(members, rng)
    return _zipped(members, rng), name


def _table(rng: random.Random) -> tuple[bytes, str]:
    name = rng.choice(ROBOTS)
    names = ["t", *_robot(name).velocity_names]
    rows = [[f"{0.1 * k:g}", *(f"{rng.gauss(0, 1):.6g}" for _ in names[1:])] for k in range(rng.choice((1, 2, 12)))]
    if rng.random() < 0.6:
        table = edited({"rows": [names, *rows]}, rng).get("rows", [])
        lines = table if isinstance(table, list) else [table]
        text = "\n".join(",".join(map(str, row)) if isinstance(row, list) else str(row) for row in lines)
        return encoded(text, rng), name
    text = "\n".join(",".join(row) for row in [names, *rows])
    return mutant(text, (_long, _end), rng), name


def _long(text: str, rng: random.Random) -> str:
    """A cell, a line, or a table that is very long."""
    return rng.choice(
        (text + "1" * 200_000, text + ",1" * 100_000, text + "\n0,0" * 50_000, text + '"' + "x\n" * 99_999)
    )


def _end(text: str, rng: random.Random) -> str:
    """Lines end in another way."""
    return text.replace("\n", rng.choice(("\r\n", "\r", "\n\n", "\n\r", ";\n", "\x00\n", "\x0b")))


def _driven(name: str, hold: str, path: Path) -> str:
    robot = _robot(name)
    drive, inputs = _inputs(robot, [str(path)])
    law, _ = given_inputs(robot, inputs, drive, hold, 0.0, 0.1)
    assert np.isfinite(law(0.05, robot.neutral(), np.zeros(robot.nv))).all()
    return "read"


def case(seed: int, index: int) -> Outcome:
    """One file: of a trajectory twice in four times, of a table of inputs, of two arrays."""
    kind = ("trajectory", "table", "trajectory", "arrays")[index % 4]
    rng = random.Random(f"{kind} {seed} {index}")
    if kind == "table":
        content, name = _table(rng)
        return judged(functools.partial(_driven, name, rng.choice(("zero", "linear"))), content, ".csv").of(kind)
    content, name = _motion(kind == "trajectory", rng)
    used: Callable[[Path], str] = functools.partial(_seen, name)
    if kind == "trajectory":
        used = functools.partial(_used, name, rng.random() < 0.7)
    return judged(used, content, ".npz", remark=f"robot '{name}' ").of(kind)


if __name__ == "__main__":
    command("trajectory_mutants", case, 4000)
