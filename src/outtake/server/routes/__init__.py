"""The routes, by what they are about.  Each translates a request into one call of the service, and stops there.

A plain `def` runs in a pool of threads, so a call that waits holds up nobody else.
"""
