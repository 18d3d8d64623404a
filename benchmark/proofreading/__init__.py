"""Is a corpus fit to be an exam? Pure checks of its texts, its questions, its facts and its card."""
