"""What can be read off plain text without a model: tokens, lexical rank, general cues.

Nothing here knows a benchmark: no word lists taken from any data set.
"""
