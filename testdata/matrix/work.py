import time

def leaf(n):
    total = 0
    for i in range(n):
        total += i * i
    return total

def middle(n):
    return leaf(n) + leaf(n // 2)

def outer(n):
    return middle(n)

end = time.process_time() + 0.4
while time.process_time() < end:
    outer(2000)
