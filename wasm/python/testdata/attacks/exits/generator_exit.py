# what: GeneratorExit and StopIteration at the top of the program
# expect: outcome=error type=GeneratorExit
raise GeneratorExit
