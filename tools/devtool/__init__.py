"""What ./dev is made of: Python's standard library only, so that it runs before anything is set up."""
