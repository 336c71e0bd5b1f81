"""symdyn's code beside what others would make: rivals and honest measurements."""
