"""Tables of cases: which functions of which robots are checked, with which options."""
