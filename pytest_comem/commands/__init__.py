"""The commands of ``comem``, a module a group; they parse and call, ``cli`` assembles them."""
