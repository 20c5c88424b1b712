"""Files as documents: their paths, front matter, titles and MDX.

The functions and the command line both read files, so this package is in the layer and is also installed with the
command line. It imports nothing of either, and runs on Python 3.10.
"""
