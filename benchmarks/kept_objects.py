"""A C compiler that keeps object files by what they are made of: ``CC="python kept_objects.py FOLDER cc"``.

Of the files of a module a mutant changes one; this compiles that one.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path


def main(folder: Path, command: list[str]) -> int:
    """Run the command, or copy what it made before."""
    sources = [Path(word) for word in command if word.endswith(".c") and Path(word).is_file()]
    if "-c" not in command or "-o" not in command or len(sources) != 1:
        return subprocess.run(command, check=False).returncode
    out = Path(command[command.index("-o") + 1])
    digest = hashlib.sha256("\0".join(command).encode())
    for path in [*sources, *sorted(Path().rglob("*.h"))]:
        digest.update(f"\0{path}\0".encode() + path.read_bytes())
    kept = folder / digest.hexdigest()
    if not kept.is_file():
        code = subprocess.run(command, check=False).returncode
        if code or not out.is_file():
            return code
        partial = kept.with_suffix(f".{os.getpid()}")
        shutil.copyfile(out, partial)
        partial.replace(kept)
    else:
        shutil.copyfile(kept, out)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
