"""Motions of pages: the page in a headless Chromium, and the same C natively without fused multiply-adds."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Browser, Page, sync_playwright

from symdyn.analysis.view.live import Played
from symdyn.generation.called_functions import contact_sets
from symdyn.generation.pipeline import generated
from symdyn.interface.manifest import FILE_NAME, Manifest
from symdyn.interface.stepping import CONTACTS, GENERALISED_ALPHA

Array = NDArray[np.float64]
SIZE = (800, 600)
# Graphics by the processor; a process that runs as root in a container has no sandbox.
FLAGS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]
PATIENCE = 120_000
NATIVE = ("-O2", "-std=c99", "-fPIC", "-shared", "-ffp-contract=off", "-DSYMDYN_FUSED=0")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium."""
    program = shutil.which("chromium")
    assert program is not None, "chromium is missing; install it (Debian: chromium)"
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield opened
        opened.close()


@dataclass
class Opened:
    """A page that is open, and what it complained of."""

    page: Page
    said: list[str]

    def run(self, script: str, given: Any = None) -> Any:
        """The value of a script."""
        return self.page.evaluate(script, given)

    def steps(self, count: int) -> tuple[Array, Array, int]:
        """Positions and velocities after so many steps of a robot that stands still, and the code of the last."""
        found = self.run(
            "async (count) => { const own = await symdyn.source.ask('steps', { count }); "
            "return [Array.from(own.q), Array.from(own.v), own.ended]; }",
            count,
        )
        return np.array(found[0]), np.array(found[1]), int(found[2])


@contextmanager
def opened(browser: Browser, path: Path) -> Iterator[Opened]:
    """A page, once it is ready."""
    page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
    page.set_default_timeout(PATIENCE)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda asked: said.append(asked.url) if asked.url.startswith(("http", "ws")) else None)
    page.goto(path.as_uri(), wait_until="commit")
    page.wait_for_load_state("load")
    page.evaluate("symdyn.ready.then(() => 1)")
    yield Opened(page, said)
    page.close()


def native_motion(played: Played, q: Array, v: Array, steps: int, folder: Path) -> tuple[Array, Array]:
    """The state after so many steps of the same C, compiled here without fused multiply-adds."""
    files = generated(played.robot, played.options)
    manifest = Manifest.from_json(next(file.text for file in files if file.path == FILE_NAME))
    names = [*manifest.sources, *manifest.calling_sources]
    for file in files:
        if file.path in (*names, manifest.header):
            (folder / file.path).write_text(file.text)
    compiler = shutil.which("cc")
    assert compiler is not None
    subprocess.run([compiler, *NATIVE, "-o", "native.so", *names, "-lm"], cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / "native.so"))
    stepper = manifest.steppers[0]
    held = [
        played.robot.runtime_defaults if own.name == "p" else np.zeros(own.size)
        for own in manifest.function(stepper.moved_by).signature.inputs
        if own.name not in ("q", "v", "a", "h", "lambda")
    ]
    state = [np.array(q, dtype=float), np.array(v, dtype=float)]
    inputs = [np.ascontiguousarray(own, dtype=float) for own in held]
    after = [np.zeros_like(own) for own in state]
    work = np.zeros(stepper.work_size)
    results = []
    if played.method == CONTACTS:
        sets = contact_sets(played.robot)
        results = [np.zeros(sets.rows), np.zeros(len(sets.names), dtype=np.int32), np.zeros(8)]

    def at(own: NDArray[Any]) -> ctypes.c_void_p:
        return ctypes.c_void_p(own.ctypes.data)

    if played.method == GENERALISED_ALPHA:
        getattr(library, f"{stepper.c_name}_start")(*map(at, [*state, *inputs, work]))
    step = getattr(library, stepper.c_name)
    arguments = [*map(at, [*state, *inputs]), ctypes.c_double(played.step), *map(at, [*after, *results, work])]
    for _ in range(steps):
        assert step(*arguments) == 0
        state[0][:], state[1][:] = after
    return state[0], state[1]
