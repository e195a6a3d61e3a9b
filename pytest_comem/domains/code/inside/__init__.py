"""Programs that run inside the sandbox, beside a checkout.

They know the standard library, pytest and each other. In there they are a package of this name
with nothing around it.
"""
