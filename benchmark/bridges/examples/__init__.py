"""Worked examples of pipelines in other libraries: each is a function that ``architecture.pipeline`` can name."""
