# what: another interpreter in the same process
# expect: outcome=ok|error|died type=ModuleNotFoundError
import _xxsubinterpreters as sub
i = sub.create()
sub.run_string(i, 'import os; os._exit(0)')
