"""One file, one idea: recipes that turn documents and a generator into a pipeline. None imports another."""
