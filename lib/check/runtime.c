// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/runtime.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "codemap/process.h"

#define V8_STACKS                                                                               \
	"record with --call-graph fp; with dwarf, node --perf-prof-unwinding-info writes what " \
	"unwinding needs"

struct known_runtime {
	struct runtime runtime;
	const char *files[4]; /* globs for the last part of a mapped file's path */
};

/*
 * Those that embed others stand first: what Postgres maps of LLVM makes it no other runtime. What
 * each one is told is said in its documentation; jitdump(5) names the producers.
 */
static const struct known_runtime runtimes[] = {
	{ { "PostgreSQL", RUNTIME_JITDUMP, "set jit_profiling_support = on", NULL },
	  { "postgres", "llvmjit.so" } },
	{ { "Deno", RUNTIME_JITDUMP, "deno run --v8-flags=--perf-prof", V8_STACKS }, { "deno" } },
	{ { "Bun", RUNTIME_JITDUMP,
	    "BUN_JSC_useJITDump=1 BUN_JSC_jitDumpDirectory=/tmp in the environment", NULL },
	  { "bun" } },
	{ { "Node.js", RUNTIME_JITDUMP, "node --perf-prof", V8_STACKS },
	  { "node", "libnode.so*", "nodejs" } },
	{ { "JVM", RUNTIME_JITDUMP, "java -agentpath:/path/to/libperf-jvmti.so",
	    "java -XX:+PreserveFramePointer and --call-graph fp" },
	  { "libjvm.so" } },
	{ { ".NET", RUNTIME_JITDUMP, "DOTNET_PerfMapEnabled=2 in the environment", NULL },
	  { "libcoreclr.so" } },
	{ { "Mono", RUNTIME_PERF_MAP, "mono --jitmap", NULL },
	  { "mono", "mono-sgen*", "libmono-*.so*", "libmonosgen-*.so*" } },
	{ { "PHP", RUNTIME_JITDUMP, "php -d opcache.jit_debug=0x20", NULL },
	  { "php", "php[0-9]*", "php-fpm*", "libphp*.so*" } },
	{ { "Erlang", RUNTIME_JITDUMP, "erl +JPperf true", NULL }, { "beam.smp" } },
	{ { "QEMU", RUNTIME_JITDUMP, "qemu -jitdump, for user mode emulation", NULL },
	  { "qemu-*" } },
	{ { "Julia", RUNTIME_JITDUMP, "ENABLE_JITPROFILING=1 in the environment", NULL },
	  { "julia", "libjulia*.so*" } },
	{ { "Wasmtime", RUNTIME_JITDUMP, "wasmtime --profile=jitdump", NULL }, { "wasmtime" } },
	{ { "Dart", RUNTIME_JITDUMP, "dart --generate-perf-jitdump", NULL }, { "dart" } },
	{ { "Ruby", RUNTIME_PERF_MAP, "ruby --yjit-perf", NULL }, { "ruby*", "libruby*.so*" } },
	{ { "LuaJIT", RUNTIME_NONE, "LuaJIT tells perf of no code", NULL },
	  { "luajit*", "libluajit*.so*" } },
	{ { "CPython", RUNTIME_JITDUMP, "python3.13 -X perf_jit, or newer",
	    "record with --call-graph dwarf,16384" },
	  { "python3*", "libpython3*.so*" } },
	{ { "LLVM", RUNTIME_JITDUMP,
	    "a PerfJITEventListener (MCJIT) or PerfSupportPlugin (ORC) in the program", NULL },
	  { "lli", "lli-[0-9]*", "libLLVM*.so*" } },
};

#define NR_RUNTIMES (sizeof(runtimes) / sizeof(*runtimes))

/* Position in the table, or NR_RUNTIMES. */
static size_t find(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < NR_RUNTIMES; i++)
		for (size_t j = 0; j < 4 && runtimes[i].files[j]; j++)
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
