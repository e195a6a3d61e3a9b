"""CoMemBench's workflows: schema, files, topology, receipts, traces, isolation pairs.

The vocabulary is that of "CoMemBench: Benchmarking Collaborative Memory Boundaries across
Multi-Agent Workflow Topologies" (arXiv 2609.32192). Nothing here knows pytest, memory systems or
how a domain judges.
"""
