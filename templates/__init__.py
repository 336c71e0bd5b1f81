"""Text layouts of the back ends; rendered only by ``symdyn.emit.render``."""
