"""Text layouts of the back ends; rendered only by ``symdyn.compiler.emit.render``."""
