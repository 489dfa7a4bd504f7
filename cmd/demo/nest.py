import sys
import time


def leaf(n):
    return sum(i * i % 7 for i in range(n))


def middle(n):
    return leaf(n) + leaf(n // 2)


def outer(seconds):
    end = time.time() + seconds
    total = 0
    while time.time() < end:
        total += middle(2000)
    return total


print(outer(float(sys.argv[1])))
