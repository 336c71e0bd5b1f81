"""How a peer says that it is not there."""


class PeerMissingError(Exception):
    """A peer cannot be measured here; the message says what it needs, or why not this function of this robot."""
