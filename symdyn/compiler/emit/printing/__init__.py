"""What the printers of all languages share."""
