"""The description of the API, made from what the functions declare: `make openapi`.

Nothing here is part of a function: what is served was written before, into functions/docs.
"""
