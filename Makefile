# `make` lists the targets. Needs a Swift toolchain (6.2 or newer), git and make; `setup` installs the rest.

PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
PYTHON ?= python3
# Arguments for Benchmarks/run: make bench ARGS='--scales medium --runs 5'
ARGS ?=
# V=1 shows SwiftPM's own output.
V ?= 0
# On Linux everything is linked into the release program. For distributors: STATIC=0 links against the system's libraries, but for Swift's.
STATIC ?= 1
export STATIC
# Where releases are, for packages: whoever publishes them changes it here, or names another one.
HOMEPAGE ?= https://github.com/capsule-appdata/capsule-appdata

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
endif

QUIET := $(if $(filter 0,$(V)),--quiet)
# The program that install, demo and man take: another one, already built, may be named. demo and man build for debugging, which
# takes a third of the time.
CAPSULE ?= .build/release/capsule
ifeq ($(origin CAPSULE),file)
QUICK := .build/debug/capsule
else
QUICK := $(CAPSULE)
endif
# The program that capsule starts to reach servers, built by `make build` beside it.
HTTP = $(shell dirname '$(CAPSULE)')/capsule-http
SWIFT_CODE := Package.swift Sources Tests Fuzz Samples
SOURCES := Package.swift $(shell find Sources -type f 2>/dev/null)

BIN = $(DESTDIR)$(PREFIX)/bin
LIBEXEC = $(DESTDIR)$(PREFIX)/libexec
SHARE = $(DESTDIR)$(PREFIX)/share

.PHONY: help setup setup-test setup-bench build build-debug demo test bench fuzz install install-files uninstall dist deb release \
    on-linux mirror docs format lint man samples clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

setup: ## install the system libraries that a build needs
	@.ci/setup build

setup-test: ## install what setup does, and the tools that the tests use
	@.ci/setup test

setup-bench: ## install what setup does, and the tools that the benchmarks compare with
	@.ci/setup bench

build: setup ## build the release version: .build/release/capsule (STATIC=0: with the system's libraries)
	@echo 'Building capsule for release (the first build takes minutes) ...'
	@flags=$$(.ci/release-flags $(ONLY)) && $(SWIFT) build $$flags --product capsule $(QUIET)
	@.ci/make-http --if-possible .build/release/capsule-http
	@! grep -q CAPSULE_FAULT $(CAPSULE) || { echo 'make: the release build contains the fault injection for tests' >&2; exit 1; }

demo: $(if $(filter file,$(origin CAPSULE)),build-debug) ## show pack, info, unpack, verify, diff and restore on a sample container
	@Samples/demo.sh $(QUICK)
	@$(if $(filter .build/debug/capsule,$(QUICK)),echo "This program was built for debugging: 'make install' builds and installs the fast one.",:)

build-debug: setup ## build the debug version: .build/debug/capsule
	@echo 'Building capsule for debugging (the first build takes minutes) ...'
	@$(SWIFT) build --product capsule $(QUIET)
	@.ci/make-http --if-possible .build/debug/capsule-http

test: setup-test build-debug ## run all tests
	@SWIFT='$(SWIFT)' .ci/test

bench: setup-bench build ## compare speed and memory with other tools (ARGS='--runs 5')
	@$(PYTHON) Benchmarks/run $(ARGS)

fuzz: setup ## fuzz the readers of documents, capsules and archives (ARGS=600 runs each for ten minutes)
	@Fuzz/run all $(ARGS)

# No phony `build` here, so that `make build && sudo make install` needs no Swift as root.
.build/release/capsule: $(SOURCES)
	@$(MAKE) build

install: $(CAPSULE) install-files ## install the program, man pages and completions (PREFIX=/usr/local DESTDIR=)
	@echo 'Installed $(BIN)/capsule'
	@[ -n '$(DESTDIR)' ] || command -v capsule >/dev/null || \
	    echo '$(BIN) is not in PATH. For this shell: export PATH="$(BIN):$$PATH"'

install-files:
	@umask 022 && set -e && \
	mkdir -p '$(BIN)' '$(SHARE)/man/man1' '$(SHARE)/man/man5' '$(SHARE)/bash-completion/completions' \
	    '$(SHARE)/zsh/site-functions' '$(SHARE)/fish/vendor_completions.d' && \
	if [ -f '$(HTTP)' ]; then mkdir -p '$(LIBEXEC)/capsule' && install -m 755 '$(HTTP)' '$(LIBEXEC)/capsule/capsule-http'; \
	else echo 'make: note: there is no $(HTTP): the installed program will read no remote containers' >&2; fi && \
	install -m 755 '$(CAPSULE)' '$(BIN)/capsule' && \
	install -m 644 man/*.1 '$(SHARE)/man/man1' && \
	install -m 644 man/*.5 '$(SHARE)/man/man5' && \
	'$(CAPSULE)' generate completions bash > '$(SHARE)/bash-completion/completions/capsule' && \
	'$(CAPSULE)' generate completions zsh > '$(SHARE)/zsh/site-functions/_capsule' && \
	'$(CAPSULE)' generate completions fish > '$(SHARE)/fish/vendor_completions.d/capsule.fish'

# Pages of verbs that are no more go too. Below DESTDIR nothing is left but what others put there; elsewhere directories are the
# system's.
uninstall: ## remove everything that install added
	@rm -f '$(BIN)/capsule' '$(LIBEXEC)/capsule/capsule-http' '$(SHARE)'/man/man1/capsule.1 '$(SHARE)'/man/man1/capsule-*.1 '$(SHARE)'/man/man5/capsule.5 \
	    '$(SHARE)'/man/man5/capsule-*.5 '$(SHARE)/bash-completion/completions/capsule' \
	    '$(SHARE)/zsh/site-functions/_capsule' '$(SHARE)/fish/vendor_completions.d/capsule.fish'
	@rmdir '$(LIBEXEC)/capsule' 2>/dev/null || :
	@if [ -n '$(DESTDIR)' ] && [ -d '$(DESTDIR)' ]; then \
	    for directory in man/man1 man/man5 man bash-completion/completions bash-completion zsh/site-functions zsh \
	        fish/vendor_completions.d fish; do rmdir '$(SHARE)'/"$$directory" 2>/dev/null || :; done; \
	    for directory in '$(LIBEXEC)' '$(SHARE)' '$(BIN)'; do (cd '$(DESTDIR)' && rmdir -p ".$${directory#'$(DESTDIR)'}" 2>/dev/null) || :; done; \
	fi

on-linux:
	@[ "$$(uname -s)" = Linux ] || { echo "make: 'make $(firstword $(MAKECMDGOALS))' only runs on Linux" >&2; \
	    echo "make: use 'make install' here, or Packaging/make_formula to create a Homebrew formula" >&2; exit 1; }

dist: ONLY := --static
dist: on-linux build ## create a tarball that runs on any Linux: .build/dist/capsule-VERSION-linux-….tar.gz
	@SWIFT='$(SWIFT)' Packaging/make_dist $(ARGS) .build/release/capsule .build/dist

mirror: ## write a package of CapsuleRuntime alone, which needs no system libraries: .build/mirror
	@Packaging/make_mirror .build/mirror

# In a directory of its own, since a build with other flags compiles everything again.
deb: override STATIC := 0
deb: on-linux setup ## create a package for Debian and Ubuntu: .build/deb/capsule-appdata_VERSION_….deb
	@echo 'Building capsule with the libraries of the system (the first build takes minutes) ...'
	@flags=$$(.ci/release-flags) && $(SWIFT) build $$flags --scratch-path .build/dynamic --product capsule $(QUIET)
	@Packaging/make_deb .build/dynamic/release/capsule .build/deb '$(HOMEPAGE)'

release: on-linux ## create everything that a release has: .build/release-VERSION (VERSION=0.1.0)
	@Packaging/make_release '$(VERSION)' '$(HOMEPAGE)'

docs: build-debug ## build the library's documentation: .build/docs/Capsule.doccarchive
	@$(SWIFT) build $(QUIET)
	@.ci/make-docs .build/docs

format: ## format the Swift code in place
	@$(SWIFT) format format --in-place --recursive --parallel $(SWIFT_CODE)

lint: ## check formatting, imports and scripts
	@.ci/lint

man: $(if $(filter file,$(origin CAPSULE)),build-debug) ## regenerate man/ from the program's help and from docs/
	@$(QUICK) generate man man --force
	@$(PYTHON) Packaging/make_pages

samples: ## regenerate the sample containers
	@$(PYTHON) Samples/make_samples.py

clean: ## remove all build products
	@rm -rf .build
