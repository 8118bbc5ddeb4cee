"""The machinery that runs tools; knows no concrete tool.

registry → scheduler → pipeline (resolve, enabled, permitted, valid, run, mapped) → results in
call order, every step an event.
"""
