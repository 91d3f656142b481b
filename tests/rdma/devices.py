"""The plugin's devices with each other, and what every transport promises, of the transports that use them."""
from machine import Machine  # it finds the modules of tests/common
from outcome import check

TRANSPORTS = "*Each/TransportTest*verbs*:*Each/TransportTest*auto*"


def devices_with_each_other(site):
    check_program(site, site.build / "tests" / "rdma" / "rdma_two_devices", site.build / "lib", seconds=120, says="passed")


def what_transports_promise(site):
    program = site.build / "tests" / "unit" / "unit_dsm"
    check_program(site, "env", f"HETMP_TEST_RDMA={site.plugin}", program, f"--gtest_filter={TRANSPORTS}", seconds=150, says="[  PASSED  ]",
                  file=program)


def check_program(site, *words, seconds, says, file=None):
    machine = Machine(site.build)
    machine.put(file or words[0])
    machine.run("it", *words, seconds=seconds)
    run = machine.boot(seconds + 30)["it"]
    run.check_passed()
    check(says in run.out and "skipped" not in run.out.lower() and run.packets > 0, run)
    print(run)


CASES = [devices_with_each_other, what_transports_promise]
