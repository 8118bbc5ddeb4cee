"""The agent: a conversation with a model that uses the tools."""
