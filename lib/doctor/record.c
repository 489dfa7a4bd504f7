// SPDX-License-Identifier: GPL-2.0-or-later
/* How a program of each runtime is recorded, as a command to be typed. */
#include <string.h>

#include "doctor/recording.h"

/* What stands before perf record and behind its options; PROGRAM is the user's to say. */
static const struct record_command {
	const char *runtime; /* its name in check/runtime.h */
	const char *environment;
	const char *program;
} commands[] = {
	{ "CPython", "", "python3 -X perf_jit PROGRAM" },
	{ "Node.js", "", "node --perf-prof PROGRAM" },
	{ "Deno", "", "deno run --v8-flags=--perf-prof PROGRAM" },
	{ "Bun", "BUN_JSC_useJITDump=1 BUN_JSC_jitDumpDirectory=/tmp ", "bun PROGRAM" },
	{ "Chromium", "", "chromium --no-sandbox --js-flags=--perf-prof PAGE" },
	{ "WebKit", "JSC_useJITDump=1 JSC_jitDumpDirectory=/tmp ", "PROGRAM" },
	{ "JVM", "",
	  "java -agentpath:/path/to/libperf-jvmti.so -XX:+PreserveFramePointer PROGRAM" },
	{ ".NET", "DOTNET_PerfMapEnabled=2 ", "dotnet PROGRAM" },
	{ "Mono", "", "mono --jitmap PROGRAM" },
	{ "PHP", "", "php -d opcache.jit_debug=0x20 PROGRAM" },
	{ "Erlang", "", "erl +JPperf true" },
	{ "QEMU", "", "qemu-x86_64 -jitdump PROGRAM" },
	{ "Julia", "ENABLE_JITPROFILING=1 ", "julia PROGRAM" },
	{ "Wasmtime", "", "wasmtime --profile=jitdump PROGRAM" },
	{ "Dart", "", "dart --generate-perf-jitdump PROGRAM" },
	{ "Ruby", "", "ruby --yjit-perf PROGRAM" },
};

static const struct record_command *command_of(const struct runtime *runtime)
{
	for (size_t i = 0; runtime && i < sizeof(commands) / sizeof(*commands); i++)
		if (strcmp(commands[i].runtime, runtime->name) == 0)
			return &commands[i];
	return NULL;
}

const char *recording__usual_chains(const struct recording *recording)
{
	const struct runtime *runtime = recording->runtime;

	return runtime && strcmp(runtime->name, "CPython") == 0 ? RECORD_STACKS : "-g";
}

void recording__say_record(struct recording *recording, struct finding *finding, const char *chains)
{
	const struct record_command *command = command_of(recording->runtime);

	diagnosis__say(recording->diagnosis, &finding->command, "%sperf record -k mono %s %s",
		       command ? command->environment : "", chains,
		       command ? command->program : "PROGRAM");
}
