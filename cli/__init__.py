"""The command line: one file per verb, over the public API."""
