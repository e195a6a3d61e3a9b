"""What the scripted model answers, one module a library whose prompts it recognizes."""
