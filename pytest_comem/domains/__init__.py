"""CoMemBench's domains: tools, offline worker and native evaluator of each."""
