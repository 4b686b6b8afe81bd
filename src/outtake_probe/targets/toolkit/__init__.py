"""What target adapters share; the standard library only.

Each module does one thing that every framework needs, so that an adapter holds nothing but what is particular to its
framework.  No module of this package imports an adapter.
"""
