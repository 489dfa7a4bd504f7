# SPDX-License-Identifier: GPL-2.0-or-later
# make, make check, make clean. V=1 shows commands. SAN=1: address and undefined behaviour sanitizers.

CC ?= gcc
BUILD ?= build$(if $(SAN),-san)
Q := $(if $(V),,@)

PKGS := libelf libdw zlib libzstd json-c libxxhash
WARN := -Wall -Wextra -Wshadow -Wpointer-arith -Wcast-qual -Wwrite-strings -Wundef -Wvla \
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wimplicit-fallthrough \
	-Wformat=2 -Wnull-dereference -Wdouble-promotion
CFLAGS ?= -O2 -g
SANFLAGS := $(if $(SAN),-fsanitize=address$(comma)undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
comma := ,
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Ilib -fPIC -fvisibility=hidden $(WARN) $(SANFLAGS) $(CFLAGS)
LIBS = $$(pkg-config --libs $(PKGS))

lib_src := $(filter-out %_test.c %_fuzz.c,$(wildcard lib/*/*.c))
test_src := $(wildcard lib/*/*_test.c)
lib_obj := $(lib_src:%.c=$(BUILD)/%.o)
tests := $(test_src:lib/%.c=$(BUILD)/test/%)

all: $(BUILD)/libperfjit.a

$(BUILD)/libperfjit.a: $(lib_obj)
	$(Q)rm -f $@ && ar rcs $@ $^

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/test/%: $(BUILD)/lib/%.o $(BUILD)/libperfjit.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANFLAGS) $< $(BUILD)/libperfjit.a $(LIBS) -lcmocka -o $@

check: $(tests)
	$(Q)CMOCKA_MESSAGE_OUTPUT=TAP prove -e '' $(tests)

clean:
	$(Q)rm -rf build build-san

.PHONY: all check clean
.SECONDARY:
-include $(lib_obj:.o=.d) $(test_src:%.c=$(BUILD)/%.d)
