# `make` lists the targets. Needs a Swift toolchain (6.2 or newer), git and make; `setup` installs the rest.

PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
PYTHON ?= python3
# Arguments for Benchmarks/run: make bench ARGS='--scales medium --runs 5'
ARGS ?=
# V=1 shows what SwiftPM does.
V ?= 0

SHELL := /bin/sh
.DEFAULT_GOAL := help
.SUFFIXES:
# SwiftPM is parallel by itself and locks its build directory: -j has nothing to gain here.
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

ifeq ($(shell uname -s),Darwin)
# Where Homebrew keeps what macOS lacks; .ci/setup asks the same program.
PKG_CONFIG_PATH := $(shell .ci/brew-paths)
export PKG_CONFIG_PATH
RELEASE := -c release
else
# One file that starts in a few milliseconds and needs no Swift where it runs.
RELEASE := -c release --static-swift-stdlib
endif
# The tarball's program is linked against the system's libc, whatever the toolchain would rather have.
DIST := .build/dist
DIST_FLAGS := --scratch-path $(DIST) -Xswiftc -Xclang-linker -Xswiftc --no-default-config -Xlinker $(abspath $(DIST))/older_libc.o

QUIET := $(if $(filter 0,$(V)),--quiet)
# The program that install, demo and man take: another one, already built, may be named.
CAPSULE ?= .build/release/capsule
SWIFT_CODE := Package.swift Sources Tests Fuzz Samples
SOURCES := Package.swift $(shell find Sources -type f 2>/dev/null)

BIN = $(DESTDIR)$(PREFIX)/bin
SHARE = $(DESTDIR)$(PREFIX)/share

.PHONY: help setup setup-test setup-bench build build-debug demo test bench fuzz install install-files uninstall dist \
    on-linux docs format lint man samples clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

setup: ## install the system libraries that a build needs, if they are missing
	@.ci/setup build

setup-test: ## the same, and the tools that tests call
	@.ci/setup test

setup-bench: ## the same, and the tools that benchmarks compare with
	@.ci/setup bench

build: setup ## build the program for release: .build/release/capsule
	@echo 'Building capsule for release (minutes the first time) ...'
	@$(SWIFT) build $(RELEASE) --product capsule $(QUIET)
	@! grep -q CAPSULE_FAULT $(CAPSULE) || { echo 'make: the faults that tests inject are in a build for release' >&2; exit 1; }

demo: build ## pack, look into, unpack, verify and compare a sample container
	@Samples/demo.sh $(CAPSULE)

build-debug: setup ## build the program for debugging: .build/debug/capsule
	@echo 'Building capsule for debugging (minutes the first time) ...'
	@$(SWIFT) build $(QUIET)

test: setup-test build-debug ## run all tests
	@SWIFT='$(SWIFT)' .ci/test

bench: setup-bench build ## compare speed and memory with other tools (ARGS='--runs 5')
	@$(PYTHON) Benchmarks/run $(ARGS)

fuzz: setup ## run libFuzzer on each reader of documents, capsules and archives (ARGS=600 for ten minutes each)
	@Fuzz/run all $(ARGS)

# No phony `build` here, so that `make build && sudo make install` needs no Swift as root.
.build/release/capsule: $(SOURCES)
	@$(MAKE) build

install: $(CAPSULE) install-files ## install program, man pages and completions (PREFIX=/usr/local DESTDIR=)
	@echo 'Installed $(BIN)/capsule'

install-files:
	@umask 022 && set -e && \
	mkdir -p '$(BIN)' '$(SHARE)/man/man1' '$(SHARE)/man/man5' '$(SHARE)/bash-completion/completions' \
	    '$(SHARE)/zsh/site-functions' '$(SHARE)/fish/vendor_completions.d' && \
	install -m 755 '$(CAPSULE)' '$(BIN)/capsule' && \
	install -m 644 man/*.1 '$(SHARE)/man/man1' && \
	install -m 644 man/*.5 '$(SHARE)/man/man5' && \
	'$(CAPSULE)' generate completions bash > '$(SHARE)/bash-completion/completions/capsule' && \
	'$(CAPSULE)' generate completions zsh > '$(SHARE)/zsh/site-functions/_capsule' && \
	'$(CAPSULE)' generate completions fish > '$(SHARE)/fish/vendor_completions.d/capsule.fish'

# Pages of verbs that are no more go too. Below DESTDIR nothing is left but what others put there; elsewhere directories are the
# system's.
uninstall: ## remove what install put there
	@rm -f '$(BIN)/capsule' '$(SHARE)'/man/man1/capsule.1 '$(SHARE)'/man/man1/capsule-*.1 '$(SHARE)'/man/man5/capsule.5 \
	    '$(SHARE)'/man/man5/capsule-*.5 '$(SHARE)/bash-completion/completions/capsule' \
	    '$(SHARE)/zsh/site-functions/_capsule' '$(SHARE)/fish/vendor_completions.d/capsule.fish'
	@if [ -n '$(DESTDIR)' ] && [ -d '$(DESTDIR)' ]; then \
	    for directory in man/man1 man/man5 man bash-completion/completions bash-completion zsh/site-functions zsh \
	        fish/vendor_completions.d fish; do rmdir '$(SHARE)'/"$$directory" 2>/dev/null || :; done; \
	    for directory in '$(SHARE)' '$(BIN)'; do (cd '$(DESTDIR)' && rmdir -p ".$${directory#'$(DESTDIR)'}" 2>/dev/null) || :; done; \
	fi

on-linux:
	@[ "$$(uname -s)" = Linux ] || { echo "make: the tarball of 'make dist' is for Linux, and can't be made on this system" >&2; \
	    echo "make: 'make install' installs the program here; Packaging/make_formula makes a formula for Homebrew" >&2; exit 1; }

dist: on-linux setup ## make a tarball that needs no Swift where it is unpacked: .build/dist/capsule-VERSION-linux-….tar.gz
	@echo 'Building capsule for other machines (minutes the first time) ...'
	@mkdir -p $(DIST) && gcc -O2 -Wall -Wextra -Werror -c Packaging/older_libc.c -o $(DIST)/older_libc.o
	@$(SWIFT) build $(RELEASE) $(DIST_FLAGS) --product capsule $(QUIET)
	@Packaging/make_dist $(ARGS) $(DIST)/release/capsule $(DIST)

docs: build-debug ## make the library's documentation: .build/docs/Capsule.doccarchive
	@.ci/make-docs .build/docs

format: ## format the Swift code in place
	@$(SWIFT) format format --in-place --recursive --parallel $(SWIFT_CODE)

lint: ## check formatting, imports and scripts
	@.ci/lint

man: build ## write man/*.1 anew from the program's own table of verbs and flags
	@$(CAPSULE) generate man man --force

samples: ## write the sample containers anew
	@$(PYTHON) Samples/make_samples.py

clean: ## remove all that was built
	@rm -rf .build
