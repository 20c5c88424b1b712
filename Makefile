# `make` alone lists the targets. The first one that needs it makes .venv (scripts/bootstrap.sh).
.DEFAULT_GOAL := help
SHELL := /bin/sh

PORT ?= 4566
PARAMETERS ?=
ENV ?= dev
SERVICES ?=

export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Modules are compiled once, by their first import.
unexport PYTHONDONTWRITEBYTECODE
export SAM_CLI_TELEMETRY := 0
export SAM_CLI_ENABLE_LANGUAGE_EXTENSIONS := 1
PYTHON := .venv/bin/python
# One process is quicker than two for a handful of tests, so only the large, independent suites are split.
WORKERS ?= 2

.PHONY: help
help: ## list the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# What tests and checks need is installed with the first of them: a newcomer's `make dev` waits for less.
.PHONY: venv venv-local
venv:
	@scripts/bootstrap.sh

venv-local:
	@scripts/bootstrap.sh local

dev up: export STACK_PORT = $(PORT)

.PHONY: dev
dev: venv-local ## run the whole service on this machine until Ctrl-C (PORT=4566 PARAMETERS="Name=value ..." MODEL=<Bedrock model id> SERVICES=fake)
	@exec $(PYTHON) -m scripts.local dev --port $(PORT) --parameters "$(PARAMETERS)" --model "$(MODEL)" --services "$(SERVICES)"

.PHONY: up
up: venv-local ## the same, left running in the background
	@$(PYTHON) -m scripts.local up --port $(PORT) --parameters "$(PARAMETERS)" --model "$(MODEL)" --services "$(SERVICES)"

.PHONY: down
down: venv-local ## stop the stack that `make up` started; its data is kept
	@$(PYTHON) -m scripts.local down --port $(PORT)

API_PORT ?= 3000
SAM_FLAGS ?=
EVENT ?= events/messages-request.json

.PHONY: sam-local
sam-local: venv-local ## `sam local start-api` on the same template, beside the local stack (needs Docker; API_PORT=3000)
	@exec $(PYTHON) -m scripts.local sam-local --port $(PORT) --api-port $(API_PORT) --sam-flags="$(SAM_FLAGS)"

.PHONY: sam-invoke
sam-invoke: venv-local ## `sam local invoke` of an event's function (needs Docker; EVENT=events/....json)
	@exec $(PYTHON) -m scripts.local sam-invoke --port $(PORT) --event $(EVENT) --sam-flags="$(SAM_FLAGS)"

ARGS ?= --help

.PHONY: cli
cli: venv-local ## the command line for people (ARGS="whoami"); pip install ./clients/cli puts it on the PATH as helpdesk
	@PYTHONPATH=clients/cli/src $(PYTHON) -m helpdesk_cli $(ARGS)

CONVERSATIONS ?= 1000

.PHONY: seed
seed: venv-local ## fill the stack started last with conversations (CONVERSATIONS=1000 SEED=1)
	@exec $(PYTHON) -m scripts.seeding --conversations $(CONVERSATIONS) --seed $(SEED)

RECEIVER_PORT ?= 8787

.PHONY: receiver
receiver: venv-local ## an example webhook receiver for the stack started last: prints each delivery and whether it verifies (RECEIVER_PORT=8787)
	@exec $(PYTHON) -m scripts.receiver --port $(RECEIVER_PORT)

.PHONY: test
test: venv ## every test; the end-to-end tests run beside the others, on a local stack of their own
	@exec $(PYTHON) -m tests.run --workers $(WORKERS)

.PHONY: test-all
test-all: venv ## the same with the long forms: more seeds, interleavings and generated requests; for each night
	@exec $(PYTHON) -m tests.run --workers $(WORKERS) --all

.PHONY: check
check: venv ## the checks before a commit: style, types, template, API description
	@$(MAKE) -j2 --no-print-directory types lint template described

.PHONY: lint
lint: venv
	@ruff check . && ruff format --check .

.PHONY: types
types: venv
	@mypy

.PHONY: template
template: venv
	@$(PYTHON) -m scripts.template && cfn-lint .local/template.yaml template/monitoring.yaml

.PHONY: openapi
openapi: venv ## write what is generated: the description of the API, and the files that template.yaml includes
	@$(PYTHON) -m scripts.openapi && $(PYTHON) -m scripts.gateway && $(PYTHON) -m scripts.resources && $(PYTHON) -m scripts.architecture && $(PYTHON) -m scripts.access_patterns

.PHONY: described
described: venv
	@$(PYTHON) -m scripts.openapi --check && $(PYTHON) -m scripts.gateway --check && $(PYTHON) -m scripts.resources --check

CORPUS ?=
QUESTIONS ?=

.PHONY: eval
eval: venv ## how well the agent finds answers: in the guides (docs/evaluation), or in any Markdown (CORPUS=folder QUESTIONS=file)
	@$(PYTHON) -m scripts.evaluation $(if $(CORPUS),corpus $(CORPUS) $(if $(QUESTIONS),--questions $(QUESTIONS)),guides)

.PHONY: bench
bench: venv ## measure what the product costs (benchmarks/results.md); about twenty minutes of a quiet machine
	@exec $(PYTHON) -m benchmarks

SEED ?= 1

.PHONY: scale
scale: venv ## what requests cost with 100 to 10,000 conversations or posts (benchmarks/scale.md, backlog.md); about ten minutes
	@$(PYTHON) -m benchmarks.scale
	@exec $(PYTHON) -m benchmarks.backlog

.PHONY: chaos
chaos: venv ## 2,000 events to failing receivers while workers die (benchmarks/chaos.md; SEED=n; up to ten minutes)
	@exec $(PYTHON) -m tests.chaos --seed $(SEED)

.PHONY: audit
audit: venv ## check installed and deployed packages for known vulnerabilities
	@$(PYTHON) -m scripts.audit

.PHONY: licences
licences: venv ## write the list of what is deployed with its licences (docs/dependencies.md)
	@$(PYTHON) -m scripts.licences

.PHONY: deploy
deploy: venv-local ## build and deploy to AWS (ENV=dev, staging or prod: a section of samconfig.toml)
	@$(PYTHON) -m scripts.resources
	@# A build that failed leaves a note of what it had not yet installed, and the next one would leave that out.
	@$(PYTHON) -m scripts.sam build --config-env $(ENV) || { rm -f .aws-sam/build.toml; exit 1; }
	@$(PYTHON) -m scripts.trim .aws-sam/build
	@# SAM CLI reads AWS_DEFAULT_REGION alone, the AWS CLI AWS_REGION first.
	@sam deploy --config-env $(ENV) $${AWS_REGION:+--region "$$AWS_REGION"}

.PHONY: lock
lock: venv ## renew every requirements.txt from its requirements.in (needs uv)
	@$(PYTHON) -m scripts.lock
