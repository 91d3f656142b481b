# Spack's recipe, for a repository of packages of one's own or, from a checkout of hetmp, for
#   spack dev-build hetmp@0.2.0
from spack.package import *


class Hetmp(CMakePackage):
    """An OpenMP runtime with libomp's and libgomp's ABI that runs unmodified programs across CPUs that share no coherent
    memory."""

    license("Apache-2.0")

    version("0.2.0")

    variant("hwloc", default=True, description="Kinds of cores and places by hwloc")
    variant("papi", default=True, description="Cache misses of loops by PAPI")
    variant("sodium", default=True, description="Encrypted connections between hosts")
    variant("pmix", default=True, description="Several hosts under Slurm and PRRTE")
    variant("verbs", default=True, description="RDMA between hosts")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json@3.9:", type="build")
    depends_on("hwloc@2.4:", when="+hwloc")
    depends_on("papi", when="+papi")
    depends_on("libsodium", when="+sodium")
    depends_on("pmix@3:", when="+pmix")
    depends_on("rdma-core", when="+verbs")

    requires("platform=linux", "target=x86_64:", policy="all_of", msg="hetmp is for Linux on x86-64")

    generator("ninja")

    def cmake_args(self):
        return [self.define("HETMP_BUILD_TESTS", False), self.define("HETMP_BUILD_MICROBENCH", False)]

    def setup_run_environment(self, env):
        # Programs that look for libomp or libgomp find hetmp.
        env.prepend_path("LD_LIBRARY_PATH", join_path(self.prefix.lib, "omp"))
