# SPDX-License-Identifier: GPL-2.0-or-later
# functions.py COUNT SECONDS: runs COUNT leaves, each below a dozen calls of a function of its own.
import sys
import time

count, seconds = int(sys.argv[1]), float(sys.argv[2])
source = '''
def leaf_{0}(n):
    s = {0}
    for k in range(n):
        s = (s * 31 + k) % 1000003
    return s
def middle_{0}(n):
    return leaf_{0}(n) + leaf_{0}(n // 2)
def outer_{0}(n, depth=12):
    return outer_{0}(n, depth - 1) if depth else middle_{0}(n)
'''
names = {}
for first in range(0, count, 100):
    text = ''.join(source.format(i) for i in range(first, min(first + 100, count)))
    exec(compile(text, f'/generated/{first}.py', 'exec'), names)
outers = [names[f'outer_{i}'] for i in range(count)]
end = time.time() + seconds
total = 0
while time.time() < end:
    for outer in outers:
        total += outer(150)
        if time.time() >= end:
            break
print(count, total)
