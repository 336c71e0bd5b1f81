"""One page of all benchmarks, with machine, flags, versions and commit, and the raw figures beside it.

usage: python benchmarks/report.py [NAME | "NAME ARGUMENT ..."] ... [--out FOLDER] [--patience SECONDS]

It runs the scripts that docs/benchmarks.md lists, or those that are named, one after another, for example
``python benchmarks/report.py limbs "layouts --bodies 6 11"``. In the folder (by default ``report``) ``index.html`` has
what each script printed, and the text of docs/benchmarks.md below it. ``raw`` has the printed texts, and tables of the
scripts that take ``--csv``. All of them take hours; run nothing beside them. A script that fails or takes too long is
marked on the page, and makes the exit status 1.
"""

from __future__ import annotations

import argparse
import html
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from markdown_it import MarkdownIt
from peers.measure import HEADER

from symdyn.interface.processor import microarchitecture

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs/benchmarks.md"
PACKAGES = ("numpy", "casadi", "pin", "mujoco", "jax", "scipy", "drake", "crocoddyl")
_LISTED = re.compile(r"^    python benchmarks/(\w+)\.py", re.MULTILINE)
_STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;
color-scheme:light dark}
pre{overflow-x:auto;padding:.7rem;border:1px solid #8886;border-radius:4px;font-size:13px}
table{border-collapse:collapse;display:block;overflow-x:auto}td,th{border:1px solid #8886;padding:.2rem .6rem}
nav a{margin-right:1rem}.failed{color:#c33}img{max-width:100%}"""


@dataclass(frozen=True)
class Run:
    """A script with its arguments, and what came of it."""

    words: tuple[str, ...]
    printed: str
    seconds: float
    failure: str
    """Empty, or why the figures are not complete."""
    table: str
    """The file of the CSV table in the folder, or empty."""


def listed(page: str) -> list[str]:
    """The scripts that the page lists, in its order."""
    return list(dict.fromkeys(_LISTED.findall(page)))


def run(words: tuple[str, ...], raw: Path, patience_s: float) -> Run:
    """Run one script, and keep what it prints and tabulates in ``raw``."""
    script, label = HERE / f"{words[0]}.py", re.sub(r"[^\w.-]+", "_", "_".join(words))
    command, table = [sys.executable, str(script), *words[1:]], ""
    if '"--csv"' in script.read_text(encoding="utf-8") and "--csv" not in words:
        command += ["--csv", str(raw / f"{label}.csv")]
        table = f"raw/{label}.csv"
    begin = time.monotonic()
    try:
        done = subprocess.run(
            command, cwd=HERE.parent, capture_output=True, text=True, timeout=patience_s, check=False, encoding="utf-8"
        )
        printed, errors = done.stdout, done.stderr
        failure = "" if done.returncode == 0 else f"ended with status {done.returncode}: {errors.strip()[-2000:]}"
    except subprocess.TimeoutExpired as late:
        printed = late.stdout.decode("utf-8", "replace") if isinstance(late.stdout, bytes) else late.stdout or ""
        failure = f"stopped after {patience_s:.0f} s; the figures up to there are shown"
    (raw / f"{label}.txt").write_text(printed, encoding="utf-8")
    written = table if (raw / f"{label}.csv").exists() else ""
    return Run(words, printed, time.monotonic() - begin, failure, written)


def circumstances() -> dict[str, str]:
    """Machine, compiler, versions and commit: what figures depend on."""
    return {
        "processor": f"{_model()} ({microarchitecture()}), {os.cpu_count()} logical cores",
        "system": platform.platform(),
        "compiler": _first_line(["gcc", "--version"]),
        "flags": HEADER,
        "Python": platform.python_version(),
        "packages": ", ".join(f"{name} {version}" for name in PACKAGES if (version := _version(name))),
        "commit": _first_line(["git", "-C", str(HERE.parent), "describe", "--always", "--dirty"]),
    }


def page(text: str, about: dict[str, str], runs: list[Run]) -> str:
    """The HTML page: circumstances, results, and the text of docs/benchmarks.md."""
    facts = "".join(
        f"<tr><th>{html.escape(key)}</th><td>{html.escape(value)}</td></tr>" for key, value in about.items()
    )
    links = "".join(f'<a href="#run-{place}">{html.escape(each.words[0])}</a> ' for place, each in enumerate(runs))
    parts = [_section(place, each) for place, each in enumerate(runs)]
    body = MarkdownIt("commonmark").enable("table").render(text)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Benchmarks of symdyn</title>'
        f"<style>{_STYLE}</style>"
        f"<h1>Benchmarks of symdyn</h1><h2>This run</h2><table>{facts}</table><nav>{links}</nav>"
        f"{''.join(parts)}<hr>{body}</html>\n"
    )


def _section(place: int, each: Run) -> str:
    command = html.escape(shlex.join(("python", f"benchmarks/{each.words[0]}.py", *each.words[1:])))
    table = f' <a href="{html.escape(each.table)}">CSV</a>' if each.table else ""
    failure = f'<p class="failed">{html.escape(each.failure)}</p>' if each.failure else ""
    heading = f'<h3 id="run-{place}">{html.escape(each.words[0])}</h3>'
    printed = f"<pre>{html.escape(each.printed)}</pre>"
    return f"{heading}<p><code>{command}</code>, {each.seconds:.0f} s{table}</p>{failure}{printed}"


def _model() -> str:
    """The processor's own name where the system tells it."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.exists() else []
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor()
    )


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _first_line(command: list[str]) -> str:
    if shutil.which(command[0]) is None:
        return f"no {command[0]}"
    lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    return lines[0] if lines else "unknown"


def main() -> int:
    """Run, write the page, and say where it is."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("scripts", nargs="*", metavar="NAME", help="scripts, with arguments in quotes; by default all")
    parser.add_argument("--out", type=Path, default=Path("report"), metavar="FOLDER")
    parser.add_argument("--patience", type=float, default=3600.0, metavar="SECONDS", help="for each script")
    asked = parser.parse_args()
    text = PAGE.read_text(encoding="utf-8")
    chosen = [tuple(shlex.split(words)) for words in asked.scripts] or [(name,) for name in listed(text)]
    unknown = [words[0] for words in chosen if not (HERE / f"{words[0]}.py").exists() or words[0] == "report"]
    if unknown:
        print(f"no benchmark is called {unknown[0]!r}; there are {', '.join(listed(text))}", file=sys.stderr)
        return 2
    raw = asked.out / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    runs = []
    for words in chosen:
        print(shlex.join(words), end=" ", flush=True)
        runs.append(run(words, raw.resolve(), asked.patience))
        print(f"{runs[-1].seconds:.0f} s {runs[-1].failure[:100]}".rstrip(), flush=True)
    (asked.out / "index.html").write_text(page(text, circumstances(), runs), encoding="utf-8")
    print(asked.out / "index.html")
    return 1 if any(each.failure for each in runs) else 0


if __name__ == "__main__":
    raise SystemExit(main())
