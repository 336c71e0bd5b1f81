"""States, folders, evaluators and the report."""
