"""Joints of a description with other springs and rotors: what a user says in Python is read as a file that says it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Annotated, Any

from symdyn.description.checks.check import check
from symdyn.description.checks.parameters import resolve
from symdyn.description.joint import JOINT
from symdyn.description.quantities.expression import Expression
from symdyn.description.robot import Joint, RobotDescription
from symdyn.description.text.position import hint, shown
from symdyn.description.text.validation import Path
from symdyn.description.yaml.declared_schema import Lazily
from symdyn.description.yaml.document import YamlDocument, parse_document
from symdyn.description.yaml.mapping import YamlMapping
from symdyn.description.yaml.read import read_joint, valid
from symdyn.description.yaml.values import YamlValues
from symdyn.description.yaml.write import joint_lines
from symdyn.errors import ModelError, RequestError

Given = float | str | Mapping[str, float | str]
"""A number, an expression over the robot's parameters, or one of them by the names of joints."""
Entry = dict[str, Any]
"""What the file says of one joint, keys and texts."""
Change = Callable[[Entry, Entry], None]
"""Puts what is given for one joint into its entry."""
ROTOR = ("rotor_inertia", "gear_ratio", "armature")


class _Joints(YamlMapping):
    joints: dict[str, Annotated[Any, Lazily(JOINT)]]


def change_spring(entry: Entry, given: Entry) -> None:
    """A spring between the links, in place of any."""
    entry["spring"] = given


def change_stops(entry: Entry, given: Entry) -> None:
    """Stops at the limits, in place of any."""
    entry["stops"] = given


def change_rotor(entry: Entry, given: Entry) -> None:
    """A rotor, in place of any; that of an elastic joint is behind its spring."""
    if "elastic" in entry:
        entry["elastic"] = {**_without_rotor(entry["elastic"]), **given}
    else:
        entry["actuator"] = given


def change_elastic(entry: Entry, given: Entry) -> None:
    """A spring to the motor, in place of any; a joint that has a rotor already keeps it, where none is given."""
    before = {key: value for key, value in entry.pop("actuator", entry.get("elastic", {})).items() if key in ROTOR}
    entry["elastic"] = given if any(key in given for key in ROTOR) else {**before, **given}


def with_changed_joints(
    description: RobotDescription,
    runtime: Collection[str],
    joints: str | Iterable[str],
    change: Change,
    given: Mapping[str, Given | None],
) -> RobotDescription:
    """The description with some joints changed, checked again.

    Parameters
    ----------
    description
        A checked description.
    runtime
        Parameters that are run-time inputs beside those of the description.
    joints
        The name of a joint, or several.
    change
        One of the functions above.
    given
        Values by the file's keys; a key whose value is None is not said.

    Raises
    ------
    RequestError
        No names, or values that are neither numbers nor texts, or name other joints.
    ModelError
        An unknown joint.
    DescriptionError
        What the file would be refused for.
    """
    source = description.source or description.name
    names = _names(description, joints)
    known = {joint.name: joint for joint in description.joints}
    entries = {}
    for name in names:
        entries[name] = _entry(known[name], source)
        change(entries[name], _texts(name, names, given))
    document = YamlDocument({"joints": entries}, _lines(known, names))
    values = YamlValues(document, source)
    declared = {parameter.name: parameter for parameter in description.parameters}
    _, values.scope = resolve(declared, runtime, lambda _: nullcontext())
    said = valid(_Joints, document, source)
    made = {name: _changed(known[name], read_joint(name, said.joints[name], values)) for name in names}
    changed = replace(description, joints=tuple(made.get(joint.name, joint) for joint in description.joints))
    # What the checks said of the joints before may be true no more; what still is, they say again.
    stale = set(check(replace(description, warnings=())).warnings)
    return check(replace(changed, warnings=tuple(text for text in description.warnings if text not in stale)))


def _names(description: RobotDescription, joints: object) -> tuple[str, ...]:
    names = (joints,) if isinstance(joints, str) else tuple(joints) if isinstance(joints, Iterable) else ()
    if not names or not all(isinstance(name, str) for name in names):
        raise RequestError(f"expected the name of a joint, or a list of names, got {joints!r}")
    known = [joint.name for joint in description.joints]
    for name in names:
        if name not in known:
            raise ModelError(
                f"{description.source or description.name}: there is no joint {shown(name)}; there are "
                f"{', '.join(known) or 'none'}{hint(name, known)}"
            )
    return tuple(dict.fromkeys(names))


def _entry(joint: Joint, source: str) -> Entry:
    """The joint as a file has it, without place and motion that do not matter here."""
    found: Entry = parse_document("\n".join(joint_lines(joint)).encode(), source).data
    return found


def _texts(name: str, names: tuple[str, ...], given: Mapping[str, Given | None]) -> Entry:
    texts: Entry = {}
    for key, value in given.items():
        if isinstance(value, Mapping):
            strange = next((other for other in (*value, *names) if (other in value) is not (other in names)), None)
            if strange is not None:
                absent = strange in names
                missing = "has no value for" if absent else "has a value for another joint,"
                meant = "" if absent else hint(strange, set(names) - set(value))
                raise RequestError(f"{key} {missing} {shown(strange)}; give one for each of {', '.join(names)}{meant}")
            value = value[name]
        if value is not None:
            texts[key] = _text(key, value)
    return texts


def _text(key: str, value: object) -> str:
    if isinstance(value, Expression):
        return value.text
    if isinstance(value, str):
        return value
    try:
        if not isinstance(value, bool):
            return repr(float(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        pass
    raise RequestError(f"{key}: expected a number, an expression as text, or a mapping from joints, got {value!r}")


def _lines(known: Mapping[str, Joint], names: tuple[str, ...]) -> dict[Path, int]:
    """Where the joints stand in the robot's own file."""
    return {("joints", name): line for name in names if (line := known[name].line) is not None}


def _without_rotor(entry: Entry) -> Entry:
    return {key: value for key, value in entry.items() if key not in ROTOR}


def _changed(joint: Joint, read: Joint) -> Joint:
    """What changed may be alone: all else stays as it was, its line among it."""
    return replace(joint, actuator=read.actuator, elastic=read.elastic, loads=read.loads)
