// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A JVMTI agent that writes a jitdump into the current folder, as the one of perf's source does,
 * which Debian has no package of: compiled methods as "LClass;method(arguments)result", other code
 * by the name that the virtual machine has for it.
 */
#include <fcntl.h>
#include <jvmti.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct header {
	uint32_t magic, version, size, machine, padding, pid;
	uint64_t time, flags;
};

struct load {
	uint32_t id, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, addr, code_size, index;
};

static FILE *dump;
static uint64_t nr_loads;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void write_load(const char *name, const void *code, jint size)
{
	size_t name_size = strlen(name) + 1;
	struct load load = {
		.size = (uint32_t)(sizeof(load) + name_size + (size_t)size),
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)syscall(SYS_gettid),
		.vma = (uintptr_t)code,
		.addr = (uintptr_t)code,
		.code_size = (uint64_t)size,
	};

	pthread_mutex_lock(&lock);
	load.time = now();
	load.index = nr_loads++;
	fwrite(&load, sizeof(load), 1, dump);
	fwrite(name, name_size, 1, dump);
	fwrite(code, (size_t)size, 1, dump);
	fflush(dump);
	pthread_mutex_unlock(&lock);
}

static void JNICALL method_loaded(jvmtiEnv *env, jmethodID method, jint size, const void *code,
				  jint nr_lines, const jvmtiAddrLocationMap *lines, const void *info)
{
	char *name = NULL, *signature = NULL, *class_signature = NULL, full[4096];
	jclass class;

	(void)nr_lines, (void)lines, (void)info;
	if (!(*env)->GetMethodDeclaringClass(env, method, &class) &&
	    !(*env)->GetClassSignature(env, class, &class_signature, NULL) &&
	    !(*env)->GetMethodName(env, method, &name, &signature, NULL)) {
		snprintf(full, sizeof(full), "%s%s%s", class_signature, name, signature);
		write_load(full, code, size);
	}
	(*env)->Deallocate(env, (unsigned char *)class_signature);
	(*env)->Deallocate(env, (unsigned char *)name);
	(*env)->Deallocate(env, (unsigned char *)signature);
}

static void JNICALL code_generated(jvmtiEnv *env, const char *name, const void *code, jint size)
{
	(void)env;
	write_load(name, code, size);
}

static int open_dump(void)
{
	struct header header = { 0x4a695444, 1, sizeof(header), 62, 0, (uint32_t)getpid(), now(), 0 };
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "jit-%u.dump", header.pid);
	fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0666);
	if (fd < 0 || !(dump = fdopen(fd, "w")))
		return -1;
	/* what tells perf of the file */
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return -1;
	return fwrite(&header, sizeof(header), 1, dump) == 1 ? 0 : -1;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	const jvmtiCapabilities wanted = { .can_generate_compiled_method_load_events = 1 };
	const jvmtiEventCallbacks callbacks = { .CompiledMethodLoad = method_loaded,
						.DynamicCodeGenerated = code_generated };
	jvmtiEnv *env;

	(void)options, (void)reserved;
	if ((*vm)->GetEnv(vm, (void **)&env, JVMTI_VERSION_1_2) != JNI_OK || open_dump() < 0 ||
	    (*env)->AddCapabilities(env, &wanted) ||
	    (*env)->SetEventCallbacks(env, &callbacks, sizeof(callbacks)) ||
	    (*env)->SetEventNotificationMode(env, JVMTI_ENABLE, JVMTI_EVENT_COMPILED_METHOD_LOAD,
					     NULL) ||
	    (*env)->SetEventNotificationMode(env, JVMTI_ENABLE, JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
					     NULL)) {
		fprintf(stderr, "java_agent: no events or no dump\n");
		return JNI_ERR;
	}
	return JNI_OK;
}
