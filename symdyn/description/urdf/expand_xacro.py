"""Expands the xacro file that ``request.txt`` names and writes ``request.json``: a program, run apart from symdyn.

Xacro evaluates expressions of the file and opens what it includes. It is run only where a user asks for it.
"""

from __future__ import annotations

import json
from pathlib import Path


def main() -> None:
    """Expand, and write the text or what xacro says against it."""
    import xacro

    request = json.loads(Path("request.txt").read_text(encoding="utf-8"))
    try:
        document = xacro.process_file(request["file"], mappings=request["arguments"])
        found = {"text": document.toxml()}
    except Exception as failure:  # whatever a file of anyone makes xacro raise
        found = {"refused": f"{type(failure).__name__}: {failure}"}
    Path("request.json").write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
