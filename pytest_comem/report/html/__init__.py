"""Runs as one self-contained HTML page: :func:`~pytest_comem.report.html.page.write_page`."""
