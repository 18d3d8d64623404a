"""Exams drafted by a model, for people to review."""
