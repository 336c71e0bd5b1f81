"""The neutral form of an algorithm: what it is, how it runs, and how plans are put together."""
