// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/runtime.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "codemap/process.h"

struct known_runtime {
	struct runtime runtime;
	const char *files[6]; /* globs for the last part of a mapped file's path; NULL ends them */
};

/*
 * Those that embed others stand first: what Postgres maps of LLVM makes it no other runtime. What
 * each one is told is said in its documentation; jitdump(5) names the producers.
 */
static const struct known_runtime runtimes[] = {
	{ { .name = "PostgreSQL", .enable = "set jit_profiling_support = on" },
	  { "postgres", "llvmjit.so" } },
	{ { .name = "Deno", .enable = "deno run --v8-flags=--perf-prof", .frame_pointers = "" },
	  { "deno" } },
	{ { .name = "Bun",
	    .enable = "BUN_JSC_useJITDump=1 BUN_JSC_jitDumpDirectory=/tmp in the environment" },
	  { "bun" } },
	{ { .name = "Node.js", .enable = "node --perf-prof", .frame_pointers = "" },
	  /* Fedora has node-22, openSUSE node22 */
	  { "node", "node[0-9]*", "node-[0-9]*", "libnode.so*", "nodejs" } },
	{ { .name = "Chromium", .enable = "chromium --js-flags=--perf-prof", .frame_pointers = "" },
	  { "chromium", "chrome" } },
	{ { .name = "WebKit",
	    .enable = "JSC_useJITDump=1 JSC_jitDumpDirectory=/tmp in the environment" },
	  { "libjavascriptcoregtk-*.so*" } },
	{ { .name = "JVM",
	    .enable = "java -agentpath:/path/to/libperf-jvmti.so",
	    .frame_pointers = "-XX:+PreserveFramePointer" },
	  { "libjvm.so" } },
	{ { .name = ".NET", .enable = "DOTNET_PerfMapEnabled=2 in the environment" },
	  /* a program that is one file has the runtime within, and its memory for code beside */
	  { "libcoreclr.so", "memfd:doublemapper*" } },
	{ { .name = "Mono", .source = RUNTIME_PERF_MAP, .enable = "mono --jitmap" },
	  { "mono", "mono-sgen*", "libmono-*.so*", "libmonosgen-*.so*" } },
	{ { .name = "PHP", .enable = "php -d opcache.jit_debug=0x20" },
	  { "php", "php[0-9]*", "php-fpm*", "libphp*.so*" } },
	{ { .name = "Erlang", .enable = "erl +JPperf true", .frame_pointers = "+JPperf true" },
	  { "beam.smp" } },
	{ { .name = "QEMU", .enable = "qemu -jitdump, for user mode emulation" }, { "qemu-*" } },
	{ { .name = "Julia", .enable = "ENABLE_JITPROFILING=1 in the environment" },
	  { "julia", "libjulia*.so*" } },
	{ { .name = "Wasmtime", .enable = "wasmtime --profile=jitdump" }, { "wasmtime" } },
	{ { .name = "Dart", .enable = "dart --generate-perf-jitdump" }, { "dart" } },
	{ { .name = "Ruby", .source = RUNTIME_PERF_MAP, .enable = "ruby --yjit-perf" },
	  { "ruby*", "libruby*.so*" } },
	{ { .name = "LuaJIT", .source = RUNTIME_NONE, .enable = "LuaJIT tells perf of no code" },
	  { "luajit*", "libluajit*.so*" } },
	{ { .name = "CPython", .enable = "python3.13 -X perf_jit, or newer" },
	  { "python3*", "libpython3*.so*" } },
	{ { .name = "LLVM",
	    .enable = "a PerfJITEventListener (MCJIT) or PerfSupportPlugin (ORC) in the program" },
	  { "lli", "lli-[0-9]*", "libLLVM*.so*" } },
};

#define NR_RUNTIMES (sizeof(runtimes) / sizeof(*runtimes))

/* Position in the table, or NR_RUNTIMES. */
static size_t find(const char *path)
{
	const char *name = file__base_name(path);

	for (size_t i = 0; i < NR_RUNTIMES; i++)
		for (size_t j = 0; runtimes[i].files[j]; j++)
			if (fnmatch(runtimes[i].files[j], name, 0) == 0)
				return i;
	return NR_RUNTIMES;
}

const struct runtime *runtime__of_file(const char *path)
{
	size_t i = find(path);

	return i < NR_RUNTIMES ? &runtimes[i].runtime : NULL;
}

const struct runtime *runtime__of(const struct process *process)
{
	size_t best = NR_RUNTIMES;

	for (; process; process = process->execed ? NULL : process->parent) {
		array__for_each(mapping, &process->mappings) {
			size_t i =
				mapping->exec && mapping->file ? find(mapping->name) : NR_RUNTIMES;

			if (i < best)
				best = i;
		}
	}
	return best < NR_RUNTIMES ? &runtimes[best].runtime : NULL;
}
