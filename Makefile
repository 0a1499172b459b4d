# Two commands matter: `make demo` builds and runs the main job, `make test` passes all tests. Each sets up what it needs.
CARGO ?= cargo
NPM ?= npm
PREFIX ?= /usr/local
DESTDIR ?=
BIN = target/release/plimsoll
TARGET_DIR ?= target
# Each test that is skipped leaves a line in it, which .ci/run holds against scripts/allowed-skips.
export PLIMSOLL_SKIPS ?= $(abspath $(TARGET_DIR))/skips

.PHONY: all build viewer demo test unit vm-test viewer-test conformance differential bench lineup lint style fuzz-long install dist man clean tools

all: build

# The report's page. Without Node the program still builds; it then writes every report but the HTML one.
viewer: viewer/dist/index.html
viewer/dist/index.html: viewer/package-lock.json $(shell find viewer/src viewer/index.html viewer/*.ts -type f 2>/dev/null)
	@if command -v $(NPM) >/dev/null 2>&1; then \
	  cd viewer && $(NPM) ci --no-audit --no-fund --silent && $(NPM) run --silent build; \
	else echo "npm is missing: building without the HTML report"; fi

build: viewer
	$(CARGO) build --release --locked -p plimsoll

# A latency-against-load curve of the disk under this checkout, in the terminal and as a page. In four to five minutes on two
# cores, of which the build takes more than half.
demo: viewer
	$(CARGO) build --profile quick --locked -p plimsoll
	PLIMSOLL=target/quick/plimsoll scripts/demo

# RUN_TESTS goes to scripts/run-tests. Parameter files against what Vdbench says of them are among it.
test: tools viewer
	@mkdir -p $(dir $(PLIMSOLL_SKIPS)) && : >$(PLIMSOLL_SKIPS)
	scripts/run-tests $(RUN_TESTS)
	$(MAKE) --no-print-directory viewer-test
	@scripts/check-skips --tell

viewer-test: viewer
	@if command -v $(NPM) >/dev/null 2>&1; then cd viewer && $(NPM) test --silent; \
	else scripts/skip viewer "the page's tests need npm"; fi

# Parameter files against what Vdbench says of them: our own, and those of other people where they are there.
conformance:
	$(CARGO) run --quiet --locked -p plimsoll-dialects --example conformance

# Thousands of drawn inputs, carried out by the real tools and here: DRAWS=N, SEED=N, and PLIMSOLL_VDBENCH=FILE where Vdbench is
# installed. A few of them are among the tests.
DRAWS ?= 3000
SEED ?= 1
differential: tools
	PLIMSOLL_DRAWS=$(DRAWS) PLIMSOLL_SEED=$(SEED) $(CARGO) test --locked -p plimsoll --test drawn -- --nocapture --include-ignored

# Each parser's fuzz target with a sanitizer, for minutes. Among the tests are the same targets over their seeds, and changed ones.
fuzz-long:
	scripts/fuzz

# What only a stock kernel has, in an emulated machine: one boot, some minutes. What it needs and cannot have is skipped.
vm-test:
	$(CARGO) build --locked -p plimsoll
	scripts/vm/run

lint: style
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

# What is held without a build. A macro names the rules' files, and so cargo fmt does not see them.
style:
	$(CARGO) fmt --all -- --check
	rustfmt --edition 2024 --check truth/audit/src/rules/*.rs
	scripts/check-house
	scripts/check-circles
	scripts/check-docs

# Ours beside fio, alternating, in one run, and the cost of a fleet. Writes docs/benchmarks.md's and docs/fleet.md's numbers to the terminal.
bench: tools build
	bench/run
	bench/fleet

# What the audit says of real arrangements with a planted fault, and of the same without.
lineup: tools build
	bench/lineup

# What tests and benchmarks use, installed where we may.
tools:
	scripts/tools

man: build
	mkdir -p target/share/man target/share/completions
	$(BIN) generate man target/share/man --overwrite
	$(BIN) generate completions target/share/completions --overwrite
	$(BIN) generate rules target/share/doc/rules --overwrite

install: build man
	install -D -m 755 $(BIN) $(DESTDIR)$(PREFIX)/bin/plimsoll
	for page in target/share/man/*.1; do install -D -m 644 $$page $(DESTDIR)$(PREFIX)/share/man/man1/$$(basename $$page); done
	for page in target/share/doc/rules/*.md; do install -D -m 644 $$page $(DESTDIR)$(PREFIX)/share/doc/plimsoll/rules/$$(basename $$page); done
	install -D -m 644 target/share/completions/plimsoll.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/plimsoll
	install -D -m 644 target/share/completions/_plimsoll $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_plimsoll
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's,/usr/bin/,$(PREFIX)/bin/,' packaging/plimsoll-agent.service >$(DESTDIR)$(PREFIX)/lib/systemd/system/plimsoll-agent.service
	install -D -m 644 target/share/completions/plimsoll.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/plimsoll.fish

# Static binaries that run on a bare Linux, as a tarball, packages and a container image, for x86-64 and aarch64.
dist: viewer
	scripts/dist

clean:
	$(CARGO) clean
	rm -rf viewer/dist viewer/node_modules
