# SPDX-License-Identifier: GPL-2.0-or-later
#
#   make                 the commands and libperfjit, in build/
#   make deps            installs what building, testing and the demo need
#   make demo            a bundled recording before and after, shown by this machine's perf
#   make demo-live       records one on the spot, where there is a runtime and leave to record
#   make check           all tests; TESTS="lib/base/buf_test.c cmd/tests/usage.t" runs only those
#   make check-faults   every system call and allocation failing, in every form of output
#   make check-browser  the page of perfjit-check --flamegraph in a headless Chromium
#                       (make deps-browser installs it)
#   make check-interop  what hotspot and samply's parser make of the output
#                       (make deps-interop installs what that takes)
#   make check-abi      what older perfs read of --perf-abi (by the perfs of check-matrix)
#   make check-doctor   what perfjit-doctor finds in those, and in perfs built without this or that
#   make check-matrix   what every perf that Debian ships makes of the output (downloads them;
#                       make deps-matrix installs what that takes)
#   make bench           speed and memory beside perf inject -j and cp (BENCH_SIZE=full: all)
#   make analyze         gcc's analyzer, clang-tidy and cppcheck find nothing (make deps-analyze)
#   make coverage        the tests again, then the lines they ran (COVERAGE=1)
#   make fuzz            every fuzz target for FUZZ_SECONDS each, fuzz-NAME one of them (clang;
#                        make deps-fuzz installs it); FUZZ_SEED=1 begins the same way each time
#   make install         under PREFIX (/usr/local), below DESTDIR; uninstall takes it away
#   make dist            a tarball, the same bytes each time, in build/
#   make deb             Debian packages in build/deb; check-deb installs them below a folder and
#                        runs them there; rpm makes RPM packages in build/rpm (make deps-packages
#                        installs what these take)
#   make clean           removes build/ and its likes
#
# V=1 shows the commands. WERROR=1, SAN=1 (address and undefined behaviour sanitizers) and
# COVERAGE=1 change how things are built; the last two build in a folder of their own, and so does
# CAPSTONE=no: without the disassembler, as on a machine that has none.
#
# Nothing is asked of the machine while this file is read: `make deps demo` is one run on a
# machine that has nothing yet. A new lib/MODULE/*.c, cmd/*.c, *_test.c, *_fuzz.c or cmd/tests/*.t
# needs no change here.

VERSION := 0.1.0
SOVERSION := 0

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
# Where shells look for what commands offer.
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
DESTDIR ?=

ifeq ($(origin CC),default)
CC := gcc
endif
CLANG ?= clang
CFLAGS ?= -O2 -g
BUILD ?= build$(if $(filter no,$(CAPSTONE)),-no-capstone)$(if $(SAN),-san)$(if $(COVERAGE),-cov)
FUZZ_SECONDS ?= 60
TEST_JOBS ?= 2
Q := $(if $(V),,@)
silent := $(findstring s,$(firstword -$(MAKEFLAGS)))
say = $(if $(V)$(silent),,@printf '  %-8s %s\n' $(1) $(2))
comma := ,

lib_packages := libelf libdw zlib libzstd libxxhash libtraceevent
# json-c for commands; --as-needed leaves out what is not used.
packages := $(lib_packages) json-c
# Used where the machine has them; the compiler is told by -DHAVE_NAME.
optional_packages := $(if $(filter no,$(CAPSTONE)),,capstone)

warnings := -Wall -Wextra -Wshadow -Wpointer-arith -Wcast-qual -Wwrite-strings -Wundef -Wvla \
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wimplicit-fallthrough \
	-Wformat=2 -Wnull-dereference -Wdouble-promotion -Wmissing-declarations \
	-Wredundant-decls -Wnested-externs -Wdate-time -Wframe-larger-than=32768
# Not every compiler knows these.
warnings_if_known := -Walloca -Wlogical-op -Wduplicated-cond -Wduplicated-branches \
	-Wjump-misses-init -Wtrampolines -Wstack-usage=65536

sanitize := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
mode_flags := $(if $(SAN),$(sanitize)) $(if $(COVERAGE),--coverage -fprofile-update=atomic)
compile_flags = -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 $(CPPFLAGS) -Ilib -Icmd -fPIC \
	-pthread -fvisibility=hidden $(warnings) $(if $(WERROR),-Werror) $(CFLAGS)
link_flags = -pthread -Wl,--as-needed $(CFLAGS) $(LDFLAGS)

lib_src := $(filter-out %_test.c %_fuzz.c,$(wildcard lib/*.c lib/*/*.c))
test_src := $(wildcard lib/*/*_test.c)
fuzz_src := $(wildcard lib/*/*_fuzz.c)
command_src := $(wildcard cmd/perfjit-*.c)
shared_src := $(filter-out $(command_src),$(wildcard cmd/*.c))

lib_obj := $(lib_src:%.c=$(BUILD)/%.o)
shared_obj := $(shared_src:%.c=$(BUILD)/%.o)
command_lib := $(BUILD)/cmd/shared.a
commands := $(command_src:cmd/%.c=$(BUILD)/%)
static_lib := $(BUILD)/libperfjit.a
shared_lib := $(BUILD)/libperfjit.so.$(VERSION)
faults := $(BUILD)/test/faults.so
unit_tests := $(test_src:lib/%.c=$(BUILD)/test/%)
command_tests := $(wildcard cmd/tests/*.t)
fuzzers := $(fuzz_src:%.c=$(BUILD)/fuzz/%)
bench_tools := $(BUILD)/bench/generate $(BUILD)/bench/measure
man_pages := $(wildcard man/*.[1-8])

# With `make -j deps check`, all that needs the machine's packages waits for them.
deps := deps deps-analyze deps-browser deps-fuzz deps-interop deps-matrix deps-packages
after_deps := $(filter $(deps),$(MAKECMDGOALS))

completions := $(foreach command,$(notdir $(commands)),$(BUILD)/completion/bash/$(command) \
	$(BUILD)/completion/zsh/_$(command) $(BUILD)/completion/fish/$(command).fish)

all: $(commands) $(static_lib) $(shared_lib) $(completions)

# ---- what the machine has -----------------------------------------------------------------------

deps:
	@.scripts/deps

$(filter deps-%,$(deps)): deps-%:
	@.scripts/deps $*

# Flags that only the machine knows, asked once, read by the compiler as @FILE.
$(BUILD)/packages.cflags: Makefile | $(after_deps)
	@mkdir -p $(@D)
	$(Q)pkg-config --cflags $(packages) cmocka >$@.new || \
		{ echo "Packages are missing: 'make deps' installs them." >&2; exit 1; }
	$(Q)for package in $(optional_packages); do \
		pkg-config --cflags $$package 2>/dev/null && \
			echo "-DHAVE_$$(echo $$package | tr a-z- A-Z_)"; \
	done >>$@.new; mv $@.new $@

$(BUILD)/packages.libs: Makefile | $(after_deps)
	@mkdir -p $(@D)
	$(Q)pkg-config --libs $(packages) >$@.new || \
		{ echo "Packages are missing: 'make deps' installs them." >&2; exit 1; }
	$(Q)for package in $(optional_packages); do \
		pkg-config --libs $$package 2>/dev/null; \
	done >>$@.new; mv $@.new $@

# How things are compiled: rewritten, and all compiled anew, only when that has changed.
$(BUILD)/flags: FORCE | $(after_deps)
	@mkdir -p $(@D)
	@echo '$(CC) $(compile_flags) $(mode_flags) $(link_flags)' >$@.new
	@if cmp -s $@.new $@.asked; then rm $@.new; else \
		for flag in $(warnings_if_known); do \
			$(CC) -Werror $$flag -fsyntax-only -x c /dev/null 2>/dev/null && echo $$flag; \
		done >$@; \
		echo '$(mode_flags)' >>$@ && mv $@.new $@.asked; \
	fi

# ---- library and commands -----------------------------------------------------------------------

$(BUILD)/%.o: %.c Makefile $(BUILD)/flags $(BUILD)/packages.cflags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(compile_flags) $(compile_extra) @$(BUILD)/flags @$(BUILD)/packages.cflags \
		-MMD -MP -c $< -o $@

$(BUILD)/lib/perfjit.o: compile_extra = -DPERFJIT_VERSION='"$(VERSION)"'

# .incbin is not seen by -MMD
$(BUILD)/cmd/check_page.o: $(wildcard cmd/flamegraph/*)

$(static_lib): $(lib_obj)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

$(shared_lib): $(lib_obj) lib/perfjit.map lib/perfjit.h $(BUILD)/packages.libs
	$(call say,LINK,$@)
	$(Q)$(CC) $(link_flags) @$(BUILD)/flags -shared -Wl,-soname,libperfjit.so.$(SOVERSION) \
		-Wl,--version-script=lib/perfjit.map $(if $(SAN),,-Wl$(comma)-z$(comma)defs) $(lib_obj) \
		@$(BUILD)/packages.libs -o $@
	$(Q).scripts/check-exports $@ lib/perfjit.map lib/perfjit.h || { rm -f $@; exit 1; }
	$(Q)ln -sf $(@F) $(BUILD)/libperfjit.so.$(SOVERSION)
	$(Q)ln -sf libperfjit.so.$(SOVERSION) $(BUILD)/libperfjit.so

# What commands share is an archive, so that each takes only what it needs of it.
$(command_lib): $(shared_obj)
	$(Q)rm -f $@ && ar rcs $@ $^

$(commands): $(BUILD)/%: $(BUILD)/cmd/%.o $(command_lib) $(static_lib) $(BUILD)/packages.libs
	$(call say,LINK,$@)
	$(Q)$(CC) $(link_flags) @$(BUILD)/flags $(filter %.o %.a,$^) @$(BUILD)/packages.libs -o $@

completion = @mkdir -p $(@D); $< --help | .scripts/completion $(1) $(<F) >$@.new && mv $@.new $@

$(BUILD)/completion/bash/%: $(BUILD)/% .scripts/completion
	$(call completion,bash)

$(BUILD)/completion/zsh/_%: $(BUILD)/% .scripts/completion
	$(call completion,zsh)

$(BUILD)/completion/fish/%.fish: $(BUILD)/% .scripts/completion
	$(call completion,fish)

# ---- demo and tests -----------------------------------------------------------------------------

# Arch keeps prove where only login shells look.
run_path := $(CURDIR)/$(BUILD):$(PATH):/usr/bin/core_perl

demo: all | $(after_deps)
	@PATH="$(run_path)" cmd/demo/demo $(BUILD)/demo

demo-live: all | $(after_deps)
	@PATH="$(run_path)" cmd/demo/demo-live $(BUILD)/demo-live

$(unit_tests): $(BUILD)/test/%: $(BUILD)/lib/%.o $(static_lib) $(BUILD)/packages.libs
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(link_flags) @$(BUILD)/flags $< $(static_lib) @$(BUILD)/packages.libs -lcmocka -o $@

tests_run := $(or $(patsubst lib/%.c,$(BUILD)/test/%,$(TESTS)),$(unit_tests) $(command_tests))

# Preloaded into commands by tests, so it has no sanitizer of its own.
$(faults): cmd/tests/faults.c Makefile
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(warnings) $(if $(WERROR),-Werror) -O2 -g -fPIC \
		-fvisibility=hidden -shared $< -ldl -o $@

check: all $(unit_tests) $(bench_tools) $(faults) | $(after_deps)
	$(Q)PATH="$(run_path)" BUILD="$(CURDIR)/$(BUILD)" SRCDIR="$(CURDIR)" \
		CMOCKA_MESSAGE_OUTPUT=TAP prove -e '' -j $(TEST_JOBS) $(tests_run)

# Every call and allocation of perfjit-fix made to fail, in every form of its output.
check-faults: all $(faults) | $(after_deps)
	$(Q)PATH="$(run_path)" BUILD="$(CURDIR)/$(BUILD)" SRCDIR="$(CURDIR)" FAULTS=all \
		prove -e '' --verbose cmd/tests/fix-faults.t

check-interop: all | $(after_deps)
	$(Q)cmd/tests/interop/samply/build $(BUILD)/interop
	$(Q)PATH="$(run_path)" BUILD="$(CURDIR)/$(BUILD)" SRCDIR="$(CURDIR)" \
		prove -e '' cmd/tests/interop/*.t

check-browser: all | $(after_deps)
	$(Q)PATH="$(run_path)" BUILD="$(CURDIR)/$(BUILD)" SRCDIR="$(CURDIR)" \
		prove -e '' cmd/tests/browser/*.t

# testdata/matrix/README
check-abi: all | $(after_deps)
	$(Q)testdata/abi/run --fix=$(BUILD)/perfjit-fix --work=$(BUILD)/abi

check-matrix: all | $(after_deps)
	$(Q)testdata/matrix/run --fix=$(BUILD)/perfjit-fix --work=$(BUILD)/matrix
	$(Q)testdata/matrix/run --fix=$(BUILD)/perfjit-fix --work=$(BUILD)/matrix --no-install \
		--mechanisms

# testdata/doctor/README
check-doctor: all | $(after_deps)
	$(Q)testdata/doctor/run --doctor=$(BUILD)/perfjit-doctor

$(BUILD)/bench/generate: $(BUILD)/testdata/bench/generate.o $(BUILD)/testdata/bench/generate_dump.o
$(BUILD)/bench/measure: $(BUILD)/testdata/bench/measure.o
$(bench_tools):
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(link_flags) @$(BUILD)/flags $^ -o $@

# BENCH="--rounds=9 --only=node --json=FILE" is passed on. testdata/bench/README
bench: all $(bench_tools) | $(after_deps)
	$(Q)testdata/bench/run --fix=$(BUILD)/perfjit-fix --tools=$(BUILD)/bench \
		--work=$(BUILD)/bench/work $(BENCH)

analyze: $(BUILD)/packages.cflags | $(after_deps)
	$(Q).scripts/analyze $(BUILD)/analyze $(filter -std=% -D% -I%,$(compile_flags)) \
		-DPERFJIT_VERSION='"$(VERSION)"' $$(cat $<)

coverage:
	$(Q)$(MAKE) COVERAGE=1 check
	$(Q).scripts/coverage build-cov

# ---- fuzzing ------------------------------------------------------------------------------------

fuzz_flags := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined \
	-fno-omit-frame-pointer -O1 -g
fuzz_lib_obj := $(lib_src:%.c=$(BUILD)/fuzz/%.o)

$(BUILD)/fuzz/%.o: %.c Makefile $(BUILD)/packages.cflags
	@mkdir -p $(@D)
	$(call say,FUZZ-CC,$<)
	$(Q)$(CLANG) $(compile_flags) -Wno-unknown-warning-option $(fuzz_flags) \
		-DPERFJIT_VERSION='"$(VERSION)"' @$(BUILD)/packages.cflags -MMD -MP -c $< -o $@

$(BUILD)/fuzz/libperfjit.a: $(fuzz_lib_obj)
	$(Q)rm -f $@ && ar rcs $@ $^

$(fuzzers): %: %.o $(BUILD)/fuzz/libperfjit.a $(BUILD)/packages.libs
	$(call say,LINK,$@)
	$(Q)$(CLANG) -fsanitize=fuzzer,address,undefined $< $(BUILD)/fuzz/libperfjit.a \
		@$(BUILD)/packages.libs -o $@

fuzz_names := $(patsubst %_fuzz.c,%,$(notdir $(fuzz_src)))
$(foreach fuzzer,$(fuzzers),$(eval $(patsubst %_fuzz,fuzz-%,$(notdir $(fuzzer))): $(fuzzer)))

# Seeds stand in testdata/fuzz/NAME; what a run finds is kept in the build folder.
$(fuzz_names:%=fuzz-%): fuzz-%: | $(after_deps)
	@mkdir -p $(BUILD)/fuzz/corpus/$*
	$(call say,FUZZ,"$* for $(FUZZ_SECONDS) s")
	$(Q)$< -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
		$(if $(FUZZ_SEED),-seed=$(FUZZ_SEED)) \
		-artifact_prefix=$(BUILD)/fuzz/$*- $(BUILD)/fuzz/corpus/$* \
		$(wildcard testdata/fuzz/$*) >$(BUILD)/fuzz/$*.log 2>&1 || \
		{ tail -40 $(BUILD)/fuzz/$*.log; exit 1; }
	@grep -a number_of_executed_units $(BUILD)/fuzz/$*.log

fuzz: $(fuzz_names:%=fuzz-%)

# ---- installing ---------------------------------------------------------------------------------

install: all
	$(Q)install -d $(addprefix $(DESTDIR),$(BINDIR) $(LIBDIR)/pkgconfig $(INCLUDEDIR) \
			$(BASHDIR) $(ZSHDIR) $(FISHDIR)) \
		$(foreach page,$(man_pages),$(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $(page))))
	$(Q)install $(commands) $(DESTDIR)$(BINDIR)
	$(Q)install -m 644 $(static_lib) $(DESTDIR)$(LIBDIR)
	$(Q)install $(shared_lib) $(DESTDIR)$(LIBDIR)
	$(Q)ln -sf $(notdir $(shared_lib)) $(DESTDIR)$(LIBDIR)/libperfjit.so.$(SOVERSION)
	$(Q)ln -sf libperfjit.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libperfjit.so
	$(Q)install -m 644 lib/perfjit.h $(DESTDIR)$(INCLUDEDIR)
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' \
		-e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
		-e "s|@PACKAGES@|$(lib_packages)$$(sed -n 's/^-DHAVE_CAPSTONE/ capstone/p' \
			$(BUILD)/packages.cflags)|" lib/perfjit.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/perfjit.pc
	$(Q)$(foreach page,$(man_pages),install -m 644 $(page) \
		$(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $(page))) &&) true
	$(Q)install -m 644 $(BUILD)/completion/bash/* $(DESTDIR)$(BASHDIR)
	$(Q)install -m 644 $(BUILD)/completion/zsh/* $(DESTDIR)$(ZSHDIR)
	$(Q)install -m 644 $(BUILD)/completion/fish/* $(DESTDIR)$(FISHDIR)

uninstall:
	$(Q)rm -f $(commands:$(BUILD)/%=$(DESTDIR)$(BINDIR)/%) $(DESTDIR)$(INCLUDEDIR)/perfjit.h \
		$(addprefix $(DESTDIR)$(LIBDIR)/,libperfjit.a libperfjit.so libperfjit.so.$(SOVERSION) \
			$(notdir $(shared_lib)) pkgconfig/perfjit.pc) \
		$(foreach command,$(notdir $(commands)),$(DESTDIR)$(BASHDIR)/$(command) \
			$(DESTDIR)$(ZSHDIR)/_$(command) $(DESTDIR)$(FISHDIR)/$(command).fish) \
		$(foreach page,$(man_pages),$(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $(page)))/$(notdir $(page)))

# ---- packages -----------------------------------------------------------------------------------

dist:
	$(Q).scripts/dist $(VERSION) $(BUILD)

# .packaging/debian
deb: | $(after_deps)
	$(Q).scripts/deb $(VERSION) $(BUILD)/deb

# .packaging/perfjit-fix.spec
rpm: | $(after_deps)
	$(Q).scripts/rpm $(VERSION) $(BUILD)/rpm

check-deb: deb
	$(Q).scripts/check-deb $(VERSION) $(BUILD)/deb

clean:
	$(Q)rm -rf build build-*

.PHONY: all $(deps) demo demo-live check check-abi check-browser check-doctor check-faults \
	check-interop check-matrix bench analyze coverage fuzz $(fuzz_names:%=fuzz-%) \
	install uninstall dist deb rpm check-deb clean FORCE
.SECONDARY:
.DELETE_ON_ERROR:
-include $(patsubst %.c,$(BUILD)/%.d,$(lib_src) $(test_src) $(command_src) $(shared_src)) \
	$(wildcard $(BUILD)/testdata/bench/*.d)
-include $(patsubst %.c,$(BUILD)/fuzz/%.d,$(lib_src) $(fuzz_src))
