"""Recipes over chunks that make retrievers."""
