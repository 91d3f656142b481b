"""The program's own fork() on several nodes: children have all memory as it was, and go on by themselves, on one node."""
from cases import Cases
from modes import check_machine
from outcome import check
from stacks import compiled, on_nodes

CASES = Cases()


@CASES.add
def children_of_several_nodes_have_all_memory(site):
    check_machine("proc2", site.build)
    program = compiled(site, "forks")
    for nodes in 1, 2, 3, 4:
        for transport in "shared-memory", "tcp":
            got = on_nodes(site, [program], nodes, HETMP_TRANSPORT=transport)
            check(got == (0, "right\n", ""), f"{nodes} nodes, {transport}: {got}")
