"""Exams written by a model over a corpus: drafted, checked question by question, and graded over a pool."""
