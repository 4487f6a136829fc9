# what: a program whose constants are worked out when it is compiled
# expect: outcome=timeout|error|ok
compile('+'.join(['1'] * 20_000), 'x', 'exec')
compile('x=' + '**'.join(['9'] * 4), 'x', 'exec')
eval('9**9**9')
