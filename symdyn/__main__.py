"""The command ``python -m symdyn``: the same as ``symdyn``, for machines on which scripts are not on the path."""

import sys

from symdyn.cli.main import main

sys.exit(main())
