"""The probe: the part of Outtake that runs inside the debugged process.

It needs the standard library only and works on Python 3.10 and newer.  Importing it costs a program nothing: the
debugger itself is loaded when one is attached.
"""
