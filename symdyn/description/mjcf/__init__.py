"""MJCF: files put together here, compiled by MuJoCo in a process of its own, and read from what that tells."""
