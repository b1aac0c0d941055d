"""Branches and loops at run time: how Python's control flow gets into a trace.

A traced function is executed by Python, to which a condition that is known only at run time has no
truth. So the function's code is made anew from its source (``rewrite``), with if, for, while, and,
or, not and whatever else asks for a truth replaced (``jumps``, ``statements``, ``expressions``) by
calls of an object, the global variable ``$control`` (``runtime``). With Python values that does
what Python does. With a traced one it has both arms of an if traced, or the body of a loop once,
and makes values of the variables that were assigned there (``branches``, ``loops``).
"""
