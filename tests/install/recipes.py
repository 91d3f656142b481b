#!/usr/bin/env python3
"""The recipes for Spack and conda, as far as they can be checked where neither is: Spack's is executed with the names that it takes from
spack.package, conda's is filled in and read as YAML. Both are of the project's version and name options and files that exist.

    recipes.py --source SOURCE

Exit codes: 0 they are right, 1 not.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import types
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "common"))
from outcome import check, exit_with  # noqa: E402


def project_version(source):
    return re.search(r"project\(hetmp VERSION ([\d.]+)", (source / "CMakeLists.txt").read_text())[1]


def options_of(source):
    return set(re.findall(r"(?:option|set)\((HETMP_\w+)", (source / "CMakeLists.txt").read_text()))


def stand_in_for_spack(said):
    """spack.package: directives that write down what they are told."""
    module = types.ModuleType("spack.package")

    def directive(name):
        return lambda *words, **settings: said.append((name, words, settings))

    class CMakePackage:
        def define(self, name, value):
            return f"-D{name}:BOOL={'ON' if value else 'OFF'}"

    for name in ("license", "version", "variant", "depends_on", "requires", "generator"):
        setattr(module, name, directive(name))
    module.CMakePackage = CMakePackage
    module.join_path = os.path.join
    return module


def check_spack(source):
    path = source / "scripts/recipes/spack/hetmp/package.py"
    said = []
    sys.modules["spack"] = types.ModuleType("spack")
    sys.modules["spack.package"] = stand_in_for_spack(said)
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)  # the project's own file
    package = names["Hetmp"]()
    versions = [words[0] for name, words, _ in said if name == "version"]
    check(versions == [project_version(source)], f"{path}: of version {versions}, not {project_version(source)}")
    variants = {words[0] for name, words, _ in said if name == "variant"}
    conditions = {settings["when"].lstrip("+") for name, _, settings in said if name == "depends_on" and "when" in settings}
    check(variants == conditions, f"{path}: variants {sorted(variants)}, dependences on {sorted(conditions)}")
    defined = set(re.findall(r"-D(\w+)", " ".join(package.cmake_args())))
    check(defined <= options_of(source), f"{path}: no such options: {defined - options_of(source)}")


def check_conda(source):
    folder = source / "scripts/recipes/conda"
    text = (folder / "meta.yaml").read_text()
    version = re.search(r'{% set version = "([\d.]+)" %}', text)
    check(version and version[1] == project_version(source), f"{folder}: not of version {project_version(source)}")
    try:
        import jinja2
        import yaml
    except ImportError:
        print("without jinja2 and PyYAML, conda's meta.yaml is not read")
    else:
        filled = yaml.safe_load(jinja2.Template(text).render(compiler=lambda language: f"compiler of {language}"))
        check((folder / filled["source"]["path"]).resolve() == source.resolve(), f"{folder}: the source is somewhere else")
        check((source / filled["about"]["license_file"]).is_file(), f"{folder}: no such licence")
        host = {requirement.split()[0] for requirement in filled["requirements"]["host"]}
        run = {requirement.split()[0] for requirement in filled["requirements"]["run"]}
        check(run <= host, f"{folder}: not there when it is built: {run - host}")
    script = (folder / "build.sh").read_text()
    subprocess.run(["sh", "-n", str(folder / "build.sh")], check=True)
    defined = set(re.findall(r"-D(HETMP_\w+)", script))
    check(defined <= options_of(source), f"{folder}/build.sh: no such options: {defined - options_of(source)}")
    with tempfile.TemporaryDirectory() as build:  # what it would do, as far as that takes no time
        environment = {**os.environ, "PREFIX": build + "/prefix", "SRC_DIR": str(source), "CPU_COUNT": "1"}
        lines = [line for line in script.replace("\\\n", " ").splitlines() if line.startswith("cmake ")]
        check(len(lines) == 3, f"{folder}/build.sh: configures, builds and installs")
        configure = lines[0].replace('"$SRC_DIR/build/conda"', f"'{build}/build'")
        done = subprocess.run(["sh", "-euc", configure], env=environment, capture_output=True, text=True, timeout=300, check=False)
        check(done.returncode == 0, f"{folder}/build.sh: cannot configure:\n{done.stderr[-2000:]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, required=True, help="the project's folder")
    source = parser.parse_args().source.resolve()
    check_spack(source)
    check_conda(source)
    return 0


if __name__ == "__main__":
    exit_with(main)
