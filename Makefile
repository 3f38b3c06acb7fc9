# Every target a contributor or user needs; CI runs `make test`.
GO ?= go
# Tests wait for containers, so that a busy machine needs more than go's ten minutes.
TEST = eval "$$(scripts/duckdb-shared)" && $(GO) test -timeout=40m

.PHONY: build test test-short test-all demo bench bench-mine bench-validate bench-evaluate check clean
build:
	$(GO) build -o bin/wideswe ./cmd/wideswe

# What CI runs: Docker, and the real runners of the languages that the machine has.
test:
	$(TEST) ./...

# Without an engine, a network or another program.
test-short:
	$(TEST) -short ./...

# Also the attacks on every toolchain, other benchmarks' programs and long properties.
test-all:
	export WIDESWE_TEST=all; $(TEST) -timeout=3h ./...

demo: build
	bin/wideswe demo

bench: build
	scripts/bench

bench-mine: build
	scripts/bench mine

bench-validate: build
	scripts/bench validate

bench-evaluate: build
	scripts/bench evaluate

check:
	scripts/check

clean:
	rm -rf bin demo
