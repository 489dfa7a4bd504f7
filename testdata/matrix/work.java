// What the matrix runs: calls of all kinds, for a while.
import java.util.*;

public class work {
	interface Shape { double area(int i); }
	static class A implements Shape {
		public double area(int i) { return Math.sqrt(i) + spin(i & 31); }
		int value(int i) { return i ^ 1 + spin(i & 15); }
	}
	static class B extends A {
		public double area(int i) { return i * 2.0 + spin(i & 31); }
		int value(int i) { return i ^ 2 + spin(i & 15); }
	}
	static class C extends A {
		public double area(int i) { return i + 3.0 + spin(i & 31); }
		int value(int i) { return i ^ 3 + spin(i & 15); }
	}
	static final A[] shapes = { new A(), new B(), new C(), new B() };
	static final Object lock = new Object();
	static long sink;

	static int spin(int n) {
		int sum = 0;
		for (int i = 0; i < n; i++)
			sum += i * i % 7;
		return sum;
	}

	static double virtuals(int n) {
		double sum = 0;
		for (int i = 0; i < n; i++)
			sum += shapes[i & 3].value(i);
		return sum;
	}

	static double interfaces(int n) {
		Shape[] all = shapes;
		double sum = 0;
		for (int i = 0; i < n; i++)
			sum += all[i & 3].area(i);
		return sum;
	}

	static int recurse(int depth, int n) {
		return depth == 0 ? spin(n) : 1 + recurse(depth - 1, n);
	}

	static void thrower(int i) {
		if ((i & 7) == 0)
			throw new IllegalStateException("no");
		sink += i;
	}

	static int throwing(int n) {
		int caught = 0;
		for (int i = 0; i < n; i++) {
			try {
				thrower(i);
			} catch (IllegalStateException e) {
				caught++;
			}
		}
		return caught;
	}

	static int locked(int n) {
		int sum = 0;
		for (int i = 0; i < n; i++) {
			synchronized (lock) {
				sum += spin(i & 7);
			}
		}
		return sum;
	}

	static int allocating(int n) {
		List<String> list = new ArrayList<>();
		for (int i = 0; i < n; i++)
			list.add("x" + i);
		Collections.sort(list);
		return list.hashCode();
	}

	static int mapping(int n) {
		Map<Integer, String> map = new HashMap<>();
		for (int i = 0; i < n; i++)
			map.computeIfAbsent(i % 97, k -> "k" + k);
		return map.size();
	}

	static double maths(int n) {
		double sum = 0;
		for (int i = 0; i < n; i++)
			sum += Math.sin(i) * Math.pow(i, 1.5) + Math.log(i + 1);
		return sum;
	}

	static long step(int k) {
		switch (k % 8) {
		case 0: return (long)virtuals(2000);
		case 1: return (long)interfaces(2000);
		case 2: return recurse(20, 3000);
		case 3: return throwing(300);
		case 4: return locked(2000);
		case 5: return allocating(500);
		case 6: return mapping(2000);
		default: return (long)maths(500);
		}
	}

	public static void main(String[] arguments) {
		// time spent, not passed: as many samples on a busy machine
		var clock = java.lang.management.ManagementFactory.getThreadMXBean();
		for (int k = 0; clock.getCurrentThreadCpuTime() < 1200000000L; k++)
			sink += step(k);
		System.out.println(sink);
	}
}
