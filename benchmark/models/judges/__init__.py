"""Who rules on answers."""
