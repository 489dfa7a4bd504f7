// SPDX-License-Identifier: GPL-2.0-or-later
// Compile.java FOLDER SECONDS: compiles generated classes in the JVM, which compiles the compiler.
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

public class Compile {
	static class Source extends SimpleJavaFileObject {
		private final String text;

		Source(String name, String text) {
			super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
			this.text = text;
		}

		@Override
		public CharSequence getCharContent(boolean ignoreErrors) {
			return text;
		}
	}

	static Source source(int n) {
		StringBuilder text = new StringBuilder("import java.util.*; import java.util.function.*;"
			+ "public class C" + n + "<T extends Comparable<T>> {"
			+ "enum Kind { A, B, C } interface Shape { double area(); }"
			+ "record Circle(double r) implements Shape { public double area() { return r * r; } }");
		for (int i = 0; i < 8; i++)
			text.append("Map<String, List<Integer>> m" + i + "(List<T> in, int k) throws Exception {"
				+ "Map<String, List<Integer>> out = new TreeMap<>();"
				+ "for (T t : in) { String s = t + \"-\" + (k * " + i + ");"
				+ "switch (k % 3) { case 0: out.computeIfAbsent(s, x -> new ArrayList<>()).add(k + " + n
				+ "); break; case 1: try { Function<Integer, Integer> f = x -> x + k;"
				+ "out.put(s, List.of(f.apply(k))); } finally { out.remove(\"\"); } break;"
				+ "default: out.putIfAbsent(s, new LinkedList<>()); } }"
				+ "while (!out.isEmpty() && out.size() > k) out.remove(out.keySet().iterator().next());"
				+ "return out; }");
		return new Source("C" + n, text + "}");
	}

	public static void main(String[] args) {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		long end = System.currentTimeMillis() + Long.parseLong(args[1]) * 1000;
		int made = 0;

		while (System.currentTimeMillis() < end) {
			List<JavaFileObject> sources = new ArrayList<>();
			for (int i = 0; i < 20; i++)
				sources.add(source(made++ % 500));
			compiler.getTask(null, compiler.getStandardFileManager(null, null, null), null,
				List.of("-d", args[0], "-proc:none"), null, sources).call();
		}
		System.out.println(made);
	}
}
