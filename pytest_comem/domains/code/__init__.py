"""Repository code change: issues of small libraries, in SWE-bench's instance shape."""
