"""What turns a query and a recall into words: offline readers now, language models later."""
