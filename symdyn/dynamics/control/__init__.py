"""Control laws, and what they need to know of a task: inertia, bias and errors of frames."""
