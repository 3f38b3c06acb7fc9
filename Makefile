# Every target a contributor or user needs; CI runs `make test`.
GO ?= go

.PHONY: build test demo bench bench-mine bench-validate bench-evaluate check clean
build:
	$(GO) build -o bin/wideswe ./cmd/wideswe

test:
	$(GO) test ./...

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
