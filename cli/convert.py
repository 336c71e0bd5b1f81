"""``symdyn convert``: write a robot that was read as symdyn's own YAML."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from . import options, terminal, written

if TYPE_CHECKING:
    from symdyn.description.collision import Collision, Mesh
    from symdyn.description.robot import Link
    from symdyn.robot.robot import Robot


def run(
    *,
    robot: options.RobotName,
    to: Annotated[
        Literal["yaml", "urdf"] | None,
        typer.Option("--to", help="Format: yaml or urdf; by default that of the ending of --out, or yaml."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write there; to standard output by default.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite --out where it exists.")] = False,
    load: options.Loading,
) -> None:
    """Write a robot file as symdyn's YAML or as URDF.

    The YAML has the options of loading in it, and is exact to the last bit. Expressions become numbers where possible.
    One line on stderr says what the YAML does not contain. If the file of 'symdyn schema' lies beside --out as
    symdyn.schema.json, the first line names it to editors.

    URDF has rigid links and joints alone: what it has no words for is refused, and what its reader needs to know is
    listed on stderr. Rigid contacts go to a file beside --out, robot.contacts.yaml beside robot.urdf.
    """
    if out is not None:
        _free(out, force)
    if (to or ("urdf" if out is not None and out.suffix.lower() == ".urdf" else "yaml")) == "urdf":
        _write_urdf(load.load(robot), out, force)
    else:
        _write_yaml(load.load(robot), out)


def _free(out: Path, force: bool) -> None:
    """Raise a RequestError where a file may not be written."""
    from symdyn.errors import RequestError

    written.check_folder("--out", out)
    if out.exists() and not force:
        raise RequestError(f"--out {out}: the file exists; give another name, or --force to overwrite it")


def _write_yaml(loaded: Robot, out: Path | None) -> None:
    from symdyn.description.yaml.json_schema import FILE_NAME, HEADER

    text = _checked(loaded)
    if out is None:
        sys.stdout.write(text)
    else:
        head = HEADER if out.with_name(FILE_NAME).exists() else ""
        out.write_text(head + text, encoding="utf-8", newline="\n")
        terminal.line(out)
    left_out = _left_out(loaded)
    if left_out:
        terminal.aside(f"not in the YAML: {left_out}")


def _write_urdf(loaded: Robot, out: Path | None, force: bool) -> None:
    from symdyn.errors import RequestError

    files = loaded.to_urdf()
    if out is None:
        if files.contacts:
            raise RequestError("--to urdf: the robot has contacts, which go into a second file; give --out robot.urdf")
        sys.stdout.write(files.urdf)
    else:
        written = {out: files.urdf}
        if files.contacts:
            written[out.with_name(f"{out.stem}.contacts.yaml")] = files.contacts
        for path in written:
            _free(path, force)
        for path, text in written.items():
            path.write_text(text, encoding="utf-8", newline="\n")
            terminal.line(path)
    for told in files.left_out:
        terminal.aside(f"not in the URDF: {told}")


def _checked(robot: Robot) -> str:
    """The robot's YAML, that is read back as the same."""
    from symdyn.description.yaml.read import parse_yaml
    from symdyn.description.yaml.write import write_yaml
    from symdyn.errors import InternalError

    text = robot.to_yaml(looks=True)
    if write_yaml(parse_yaml(text.encode(), "robot.yaml"), looks=True) != text:
        raise InternalError(f"the YAML of robot '{robot.name}' is not read back as what was written")
    return text


def _left_out(robot: Robot) -> str:
    """What was read and is not written, in one line."""
    from symdyn.description.rigid_contact import rigid_contacts
    from symdyn.description.text.notice import NOT_MODELLED

    links = robot.description.links
    pictures = sum(any(own.fault for own in link.visuals) for link in links)
    touching = sum(len(list(link.offered_shapes)) < len({own.name for own in _shapes(link)}) for link in links)
    unmodelled = sum(getattr(text, "topic", "") == NOT_MODELLED for text in robot.description.warnings)
    found = []
    if pictures:
        found.append(f"how {pictures} {'link looks' if pictures == 1 else 'links look'}")
    if touching:
        found.append(f"collision shapes of {touching} {'link' if touching == 1 else 'links'} that YAML does not have")
    if robot.description.offered and not any(rigid_contacts(robot.description)):
        found.append(f"{len(robot.description.offered)} pairs of geoms that may touch (--contacts file has them)")
    if unmodelled:
        tell = "warning tells" if unmodelled == 1 else "warnings tell"
        found.append(f"what {unmodelled} {tell} (symdyn info lists them)")
    return ", ".join(found)


def _shapes(link: Link) -> tuple[Collision | Mesh, ...]:
    return (*link.collision, *link.geometry)
