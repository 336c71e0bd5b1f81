"""``symdyn view``: a robot at rest or in motion, in the browser, as a page, a film or a picture."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options, terminal, written
from .named_values import named_values

if TYPE_CHECKING:
    from symdyn.analysis.view.scene import Array, Scene
    from symdyn.robot.robot import Robot

_PICTURES = (".png", ".jpg")


def run(
    *,
    robot: options.RobotName,
    trajectory: Annotated[
        Path | None,
        typer.Option(
            "--trajectory",
            metavar="FILE",
            help="A motion: a file of simulate --out or statics --out, or an .npz with arrays t (n,) and q (n, nq).",
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write one page that needs no network: an .html.")
    ] = None,
    video: Annotated[Path | None, typer.Option("--video", metavar="FILE", help="Write a film: a .mp4 or .gif.")] = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", metavar="FILE", help="Write a picture: a .png or .jpg.")
    ] = None,
    at: Annotated[
        float | None,
        typer.Option(
            "--at", metavar="SECONDS", help="The time of --picture in a motion; by default it shows the first position."
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Draw positions over each other in metres, energies and gaps of loops: a .png, .svg or .pdf.",
        ),
    ] = None,
    strobe: Annotated[
        int | None,
        typer.Option(
            "--strobe",
            metavar="N",
            min=1,
            max=200,
            help="How many positions of the motion to show; by default 1, the first, in --picture and 8 in --plot.",
        ),
    ] = None,
    plane: Annotated[
        str | None,
        typer.Option("--plane", metavar="AXES", help="Axes of --plot to the right and upwards; xz, for example."),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--q",
            metavar="NAME=VALUE",
            help="A row of q; others are those of the neutral position. May be repeated, or with commas.",
        ),
    ] = None,
    mesh_folder: options.MeshFolders = None,
    forces: Annotated[
        bool,
        typer.Option(
            "--forces",
            help="Draw forces of rigid contacts, green if they stick and orange if they slide, and of loops, violet.",
        ),
    ] = False,
    seen_from: Annotated[
        tuple[float, float, float] | None,
        typer.Option(
            "--from",
            metavar="X Y Z",
            help="Direction from the robot to the eye, in world axes; by default 0.55 -1 0.45: front, right, above.",
        ),
    ] = None,
    zoom: Annotated[
        float,
        typer.Option("--zoom", metavar="FACTOR", help="How much larger than where the whole motion just fits."),
    ] = 1.0,
    fps: Annotated[float, typer.Option("--fps", help="Frames per second.")] = 60.0,
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="Port of the live view.")] = 8080,
    load: options.Loading,
) -> None:
    """Show a robot. Live in the browser, or as a page, a film, a picture or a plot.

    Rigid links are capsules with ellipsoids that have the same inertia. Soft and flexible links are tubes; the colour
    shows how much they are bent. Without a trajectory, loops are closed first.
    """
    from symdyn.analysis.view.motion import read_motion, resampled
    from symdyn.errors import RequestError

    if trajectory is not None and given:
        raise RequestError("--q gives a position and --trajectory has its own; leave one of them out")
    if at is not None and (picture is None or trajectory is None or strobe is not None):
        raise RequestError("--at is the time of a --picture of a --trajectory, without --strobe")
    check_files(html, video, picture, plot, fps, bool(mesh_folder or load.packages))
    eye = _eye(seen_from, zoom)
    loaded = load.load(robot)
    simulated = None
    if trajectory is not None:
        motion = read_motion(loaded, trajectory)
        simulated = motion.simulated
        times, q = resampled(loaded, motion, fps)
    else:
        import numpy as np

        times, q = np.zeros(1), _position(loaded, given or [])[None]
    from symdyn.analysis.view.build import scene_of

    with terminal.working("finding poses"):
        scene = replace(scene_of(loaded, q, times, mesh_folder or ()), **eye)
        if forces:
            from symdyn.analysis.view.forces import with_forces

            scene = with_forces(scene, simulated)
    say_meshes(loaded, mesh_folder)
    if html is not None:
        from symdyn.analysis.view.page import save_page

        with terminal.working("writing the page"):
            save_page(scene, html)
        terminal.line(f"wrote {html}")
    if video is not None:
        from symdyn.analysis.view.film import save_film

        with terminal.working("painting"):
            save_film(scene, video, fps)
        terminal.line(f"wrote {video}")
    if picture is not None:
        if at is None:
            paint(scene, picture, strobe or 1)
        else:
            from symdyn.analysis.view.picture import picture as painted

            painted(scene, _nearest(times, at)).save(picture)
            terminal.line(f"wrote {picture}")
    if plot is not None:
        from symdyn.analysis.compare.plot import write_figure
        from symdyn.analysis.view.plots import motion_figure

        with terminal.working("drawing"):
            write_figure(motion_figure(loaded, scene, simulated, strobe or 8, plane), plot, loaded.name)
        terminal.line(f"wrote {plot}")
    if html is None and video is None and picture is None and plot is None:
        from symdyn.analysis.view.page import page_of
        from symdyn.analysis.view.serve import serve

        terminal.line(f"http://127.0.0.1:{port} shows {loaded.name}; Ctrl-C ends it")
        serve(page_of(scene), port)


def say_meshes(robot: Robot, mesh_folder: list[Path] | None) -> None:
    """Say of links with meshes that they are drawn as capsules, where nobody said in which folder meshes are."""
    meshes = sum(any(own.shape == "mesh" for own in link.visuals) for link in robot.description.links)
    if meshes and not (mesh_folder or robot.mesh_folders):
        terminal.note(f"links with meshes, drawn as capsules here: {meshes}; --mesh-folder FOLDER shows the meshes")


def paint(scene: Scene, picture: Path, count: int) -> None:
    """Write a picture of so many positions of a scene, earlier ones paler."""
    from symdyn.analysis.view.picture import strobe
    from symdyn.analysis.view.scene import evenly

    strobe(scene, evenly(scene.length, count)).save(picture)
    terminal.line(f"wrote {picture}")


def check_files(
    html: Path | None, video: Path | None, picture: Path | None, plot: Path | None, fps: float, mesh_folder: bool
) -> None:
    """Refuse early what cannot be written."""
    from symdyn.analysis.view.film import FORMATS
    from symdyn.errors import RequestError
    from symdyn.interface.optional_packages import require

    needed: set[str] = set()
    for option, path, endings, module in (
        ("--html", html, (".html",), "numpy"),
        ("--video", video, FORMATS, "PIL"),
        ("--picture", picture, _PICTURES, "PIL"),
    ):
        if path is None:
            continue
        if path.suffix.lower() not in endings:
            raise RequestError(f"{option} {path}: the file ends in one of {', '.join(endings)}")
        written.check_folder(option, path)
        needed.add(module)
        if path.suffix.lower() == ".mp4":
            needed.add("imageio_ffmpeg")
    written.check_written(plot)
    if mesh_folder:
        needed.add("trimesh")
    if not 1.0 <= fps <= 240.0:
        raise RequestError(f"--fps {fps:g}: expected 1 to 240 frames per second")
    for module in sorted(needed):
        require("this view", module, "view")


def _eye(seen_from: tuple[float, float, float] | None, zoom: float) -> dict[str, Any]:
    """Where a scene is seen from, as its fields."""
    from math import hypot, isfinite

    from symdyn.errors import RequestError

    if not 0.01 <= zoom <= 100.0:
        raise RequestError(f"--zoom {zoom:g}: expected a factor from 0.01 to 100")
    if seen_from is None:
        return {"zoom": zoom}
    if not all(map(isfinite, seen_from)) or not 1e-6 <= hypot(*seen_from) <= 1e6:
        shown = " ".join(f"{value:g}" for value in seen_from)
        raise RequestError(f"--from {shown}: expected a direction, three finite numbers that are not all zero")
    return {"seen_from": seen_from, "zoom": zoom}


def _nearest(times: Array, at: float) -> int:
    """The number of the time nearest to one within them."""
    from symdyn.errors import RequestError

    if not times[0] <= at <= times[-1]:
        raise RequestError(f"--at {at:g}: the motion is from {times[0]:g} to {times[-1]:g} s; take a time within it")
    return int(abs(times - at).argmin())


def _position(robot: Robot, texts: list[str]) -> Array:
    """The neutral position with the rows that were given, where motions begin: loops closed, a free base on the ground.

    Given rows stay.
    """
    from symdyn.analysis.simulation.contact_start import settled
    from symdyn.robot import named_states
    from symdyn.robot.state_checks import warn_beyond_limits

    given = named_values("--q", texts)
    q = named_states.position(robot.model, "--q", given)
    warn_beyond_limits(robot.model, "--q", q)
    return settled(robot, q, given)
