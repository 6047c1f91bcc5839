# SPDX-License-Identifier: Apache-2.0
"""A real model in projects of others: mnist-8, as ONNX Runtime runs it, from the packed packages
alone. packages_test.py and tests/npm do the same with the digit classifier of this tree.

Usage: real_model_test.py --dir MODELS      ends with `N passed, N failed`
Needs the packages of tools/package.sh and tools/python.sh for host and aarch64, and those of npm.
"""
import argparse
import glob
import json
import os
import sys
import unittest
import venv

import numpy

import packages_test as packages

ROOT = packages.ROOT
PYTHON = """
import json, sys
import numpy, tern
program = tern.load(sys.argv[1])
for path in sys.argv[2:]:
    image = numpy.fromfile(path, numpy.uint8).astype("float32").reshape(1, 1, 28, 28)
    print(json.dumps(numpy.asarray(program.run(image)).ravel().tolist()))
"""
JAVASCRIPT = """
import { readFileSync } from 'node:fs';
import { createRuntime } from 'tern-runtime';
const [model, ...images] = process.argv.slice(2);
const runtime = await createRuntime({ worker: true });
const program = await runtime.load(model);
for (const path of images) {
  const data = Float32Array.from(readFileSync(path));
  const results = await program.run('main', [{ dtype: 'f32', shape: [1, 1, 28, 28], data }]);
  console.log(JSON.stringify([...Object.values(results)[0].data]));
}
runtime.dispose();
"""


def read_cases(folder):
    """Of each case the image's bytes and the ten values that are expected."""
    with open(os.path.join(folder, "expected", "expected.json"), encoding="utf-8") as file:
        expected = {case["name"]: case["steps"][0][0]["values"] for case in
                    json.load(file)["cases"]}
    for name, values in expected.items():
        image = numpy.load(os.path.join(folder, "inputs", name + ".s0.Input3.npy"))
        pixels = image.astype(numpy.uint8)
        assert (pixels == image).all(), f"{name} is no drawing of 256 greys"
        yield pixels.tobytes(), values


class RealModel(unittest.TestCase):
    folder = ""  # of the model

    def setUp(self):
        self.model = os.path.join(self.folder, "model.onnx")
        self.work = packages.fresh("real")
        self.images, self.expected = [], []
        for number, (image, values) in enumerate(read_cases(self.folder)):
            self.images.append(os.path.join(self.work, f"{number}.u8"))
            self.expected.append(values)
            with open(self.images[-1], "wb") as file:
                file.write(image)
        self.assertGreater(len(self.images), 0)

    def write(self, name, text):
        path = os.path.join(self.work, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def compare(self, output):
        lines = [json.loads(line) for line in output.splitlines()]
        self.assertEqual(len(lines), len(self.expected))
        for values, expected in zip(lines, self.expected):
            numpy.testing.assert_allclose(values, expected, rtol=1e-4, atol=1e-2)

    def by_cmake(self, target, form):
        prefix = target.unpack(form)
        packages.call("cmake", "-G", "Ninja", "-S", packages.examples(prefix, self.work), "-B",
                      self.work + "/build", "-DCMAKE_PREFIX_PATH=" + prefix,
                      "-DTERN_LIBRARY=tern::tern_static", *target.toolchain("gcc"))
        packages.call("cmake", "--build", self.work + "/build")
        for program in ("digit_c", "digit_cc"):
            for image, expected in zip(self.images, self.expected):
                out = packages.call(*target.run, os.path.join(self.work, "build", program),
                                    self.model, image)
                self.assertIn(f"digit {int(numpy.argmax(expected))} (", out)

    def test_c_and_cpp(self):
        self.by_cmake(packages.HOST, "tarball")

    def test_c_and_cpp_on_aarch64(self):
        self.by_cmake(packages.ARM, "deb")

    def test_python(self):
        environment = os.path.join(self.work, "venv")
        venv.create(environment, with_pip=True, system_site_packages=True)
        python = os.path.join(environment, "bin", "python")
        [wheel] = glob.glob(os.path.join(ROOT, "build/host/packages-python/*.whl"))
        packages.call(python, "-m", "pip", "install", "--no-index", "--quiet", wheel)
        script = self.write("real.py", PYTHON)
        self.compare(packages.call(python, script, self.model, *self.images, cwd=self.work))

    def test_npm_in_node(self):
        for name in ("package", "package-debug", "package-inline"):
            packages.call("npm", "pack", "--silent", "--pack-destination", self.work,
                          os.path.join(ROOT, "wasm", name))
        self.write("package.json", '{"private": true, "type": "module"}')
        packages.call("npm", "install", "--offline", "--ignore-scripts", "--no-audit",
                      "--loglevel=error", *glob.glob(self.work + "/*.tgz"), cwd=self.work)
        script = self.write("real.js", JAVASCRIPT)
        node = os.path.join(ROOT, "tools", "node.sh")
        self.compare(packages.call(node, script, self.model, *self.images, cwd=self.work))

    def test_the_command_line(self):
        tern = os.path.join(packages.HOST.unpack("deb"), "bin", "tern")
        array = os.path.join(self.work, "y.npy")
        for image, expected in zip(self.images, self.expected):
            with open(image, "rb") as file:
                pixels = numpy.frombuffer(file.read(), numpy.uint8).astype(numpy.float32)
            numpy.save(os.path.join(self.work, "x.npy"), pixels.reshape(1, 1, 28, 28))
            packages.call(tern, "run", self.model, "-q", "-i", "@x.npy", "--output", "@y.npy",
                          cwd=self.work)
            numpy.testing.assert_allclose(numpy.load(array).ravel(), expected, rtol=1e-4,
                                          atol=1e-2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir", required=True)
    RealModel.folder = os.path.join(parser.parse_args().dir, "mnist-8")
    outcome = unittest.main(argv=sys.argv[:1], exit=False, verbosity=0).result
    bad = len(outcome.failures) + len(outcome.errors)
    print(f"{outcome.testsRun - bad} passed, {bad} failed")
    sys.exit(1 if bad else 0)
