"""The gate: whether a run may be promoted, by a policy. Pure."""
