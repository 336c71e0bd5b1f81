"""Second ways to the same numbers, which share no recursion with symdyn."""
