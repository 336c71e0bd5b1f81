"""What the tests of several rooms draw on: robots, random inputs, oracles, tapes and mutants."""
