# what: every way to another process
# expect: outcome=ok stdout~="started []"
import os
import subprocess
started = []
ways = {
    'fork': lambda: os.fork(), 'system': lambda: os.system('true'), 'popen': lambda: os.popen('true').read(),
    'execv': lambda: os.execv('/bin/sh', ['sh']), 'spawn': lambda: os.spawnv(os.P_WAIT, '/bin/true', ['true']),
    'posix_spawn': lambda: os.posix_spawn('/bin/true', ['true'], {}), 'run': lambda: subprocess.run(['true'], check=True),
    'shell': lambda: subprocess.check_output('id', shell=True), 'kill': lambda: os.kill(os.getppid(), 9),
}
for name, way in ways.items():
    try:
        way()
        started.append(name)
    except BaseException:
        pass
print('started', started)
