"""Models behind OpenAI-compatible endpoints: chat, structured replies and embeddings."""
