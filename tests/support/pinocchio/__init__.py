"""Robots as Pinocchio has them, and its functions in symdyn's conventions. They need the extra ``peers``."""
