"""An OpenAI-compatible server on loopback, for memory libraries that make calls of their own."""
