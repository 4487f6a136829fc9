.PHONY: demo test check fuzz golden

demo: ; scripts/demo
test: ; scripts/test
check: ; .ci/run
fuzz: ; scripts/fuzz
golden: ; scripts/golden
