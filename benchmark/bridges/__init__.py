"""Pipelines of other libraries as architectures: what they are given, and where their passages stand in the corpus."""
