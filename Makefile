# Each task is a script, which `--help` explains; `make help` lists them.
.PHONY: help build demo test check fuzz simulate bench docs package firmware

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 10

build: ## the program, in .build/release
	scripts/build
demo: ## a ball, and a central that asks it
	scripts/demo
test: ## all tests
	scripts/test
check: ## all checks and tests, which must pass before a change goes in
	.ci/run
fuzz: ## a minute of each fuzzer
	scripts/fuzz 60
simulate: ## a minute of seeds of the simulation
	scripts/simulate 60
bench: ## the instructions of a question
	scripts/benchmark
docs: ## the documentation of the libraries, in .build-docs
	scripts/build docs
package: ## the Debian packages, in .build-package
	scripts/package
firmware: ## the ball for microcontrollers, in .build-firmware
	scripts/build firmware
