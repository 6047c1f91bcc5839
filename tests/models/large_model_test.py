# SPDX-License-Identifier: Apache-2.0
"""Large models: memory and answers of compiling them and of running them straight from ONNX.

usage: large_model_test.py TERN      ends with `N passed, N failed`
"""
import os
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "models"))
import onnx_writer as onnx  # noqa: E402

WRITER = os.path.join(ROOT, "tools", "models", "write_decoder.py")
TERN = ""
LAYERS, HEADS, WIDTH = 8, 8, 512
SIZES = ["--layers", str(LAYERS), "--heads", str(HEADS), "--width", str(WIDTH), "--hidden", "1376",
         "--vocabulary", "2048"]
PROGRAM_BYTES = 12 << 20  # what `tern` takes for a model of nothing, tensors of the run included


def tern(*arguments):
    """Exit code, output, and the most memory it had at once."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([TERN, *arguments], stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return process.returncode, output.read().decode(), usage.ru_maxrss * 1024


class LargeModelTest(unittest.TestCase):
    def setUp(self):
        # Not /tmp, which may be memory.
        self.temporary = tempfile.TemporaryDirectory(dir="/var/tmp")
        self.addCleanup(self.temporary.cleanup)

    def path(self, name):
        return os.path.join(self.temporary.name, name)

    def check_memory(self, size, *arguments):
        code, output, most = tern(*arguments)
        self.assertEqual(code, 0, output)
        self.assertLessEqual(most, 1.2 * size + PROGRAM_BYTES)
        return output

    def decoder(self, *options):
        path = self.path("decoder.onnx")
        subprocess.run([sys.executable, WRITER, path, *SIZES, *options], check=True)
        return path, sum(os.path.getsize(self.path(name)) for name in os.listdir(
            self.temporary.name))

    def inputs(self):
        cache = f"f32[1,{HEADS},0,{WIDTH // HEADS}]:zeros"
        values = ["input_ids=i64[1,3]:1,2,3", "position_ids=i64[1,3]:0,1,2"]
        values += [f"past_key_values.{i}.{part}={cache}" for i in range(LAYERS)
                   for part in ("key", "value")]
        return [word for value in values for word in ("-i", value)]

    def check_decoder(self, *options):
        path, size = self.decoder(*options)
        self.assertGreater(size, 100 << 20)
        compiled = self.path("decoder.tern")
        self.check_memory(size, "compile", path, "-o", compiled)
        straight = self.check_memory(size, "run", path, *self.inputs())
        self.assertEqual(straight, self.check_memory(size, "run", compiled, *self.inputs()))

    def test_weights_inside_the_model(self):
        self.check_decoder()

    def test_weights_beside_the_model(self):
        self.check_decoder("--external")

    def gather(self, tables, location="", rows=0, width=1024):
        """Rows of tables; of `location` where there is one."""
        if location:
            weights = [onnx.external_tensor(name, "f32", (rows, width), location, 0,
                                            rows * width * 4) for name in tables]
        else:
            weights = [onnx.tensor(name, "f32", (len(content) // width // 4, width), content)
                       for name, content in tables.items()]
        nodes = [onnx.node("Gather", [name, "rows"], [f"{name}_rows"], axis=0) for name in tables]
        outputs = [onnx.value_info(f"{name}_rows", "f32", ["n", width]) for name in tables]
        graph = onnx.graph("rows", nodes, weights, [onnx.value_info("rows", "i64", ["n"])], outputs)
        with open(self.path("rows.onnx"), "wb") as file:
            file.write(onnx.model({"": 17}, graph))
        return self.path("rows.onnx")

    def test_more_than_two_gigabytes(self):
        rows, width = 700000, 1024
        with open(self.path("table.bin"), "wb") as file:  # of which the disk has two blocks
            file.write(struct.pack("<f", 1.5))
            file.seek((rows - 1) * width * 4)
            file.write(struct.pack("<f", 2.5))
            file.truncate(rows * width * 4)
        model = self.gather(["table"], "table.bin", rows)
        code, output, most = tern("run", model, "-i", f"rows=i64[2]:0,{rows - 1}",
                                  "--format", "json")
        self.assertEqual(code, 0, output)
        self.assertIn("[1.5,0,0", output)
        self.assertIn(",2.5,0,0", output)
        self.assertLess(most, 100 << 20)  # nothing else of the file is read

    def test_constants_that_differ_in_one_element(self):
        count = 1 << 18
        one, same = bytes(4 * count), bytes(4 * count)
        tables = {"one": b"\0\0\x80\x3f" + one[4:], "same": b"\0\0\x80\x3f" + same[4:]}
        place = 4 * (count // 3)
        other = bytearray(tables["one"])
        other[place:place + 4] = struct.pack("<f", 7)
        model = self.gather({**tables, "other": bytes(other)})
        row, column = divmod(count // 3, 1024)
        code, output, _ = tern("run", model, "-i", f"rows=i64[1]:{row}", "--format", "json")
        self.assertEqual(code, 0, output)
        self.assertEqual(output.count(",7,"), 1, column)
        self.assertEqual(tern("compile", model, "-o", self.path("rows.tern"))[0], 0)
        self.assertLess(os.path.getsize(self.path("rows.tern")), 2.5 * 4 * count)  # shared

    def test_a_table_that_is_too_short_is_refused(self):
        with open(self.path("table.bin"), "wb") as file:
            file.truncate(4096)
        model = self.gather(["table"], "table.bin", 700000)
        code, output, most = tern("compile", model)
        self.assertEqual(code, 1)
        self.assertIn("the file ends before byte 0 + 2867200000", output)
        self.assertLess(most, 100 << 20)

    def test_a_model_that_is_cut_off_is_refused(self):
        path, size = self.decoder()
        os.truncate(path, size // 2)
        code, output, _ = tern("run", path)
        self.assertEqual(code, 1)
        self.assertIn("E0401", output)


def main():
    global TERN
    TERN = os.path.abspath(sys.argv[1])
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(LargeModelTest)
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    failed = len({str(test) for test, _ in result.failures + result.errors})
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
