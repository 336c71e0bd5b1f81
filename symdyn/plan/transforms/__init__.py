"""From one plan to another: derivatives along directions, Taylor series, series found order by order."""
