# SPDX-License-Identifier: Apache-2.0
"""What the package tern does for its users. Run by run.py in an environment that has the wheel;
the last line of the output is {"tests": N, "failed": N}. Without NumPy its cases do nothing but
say that arrays of other libraries and lists do."""
import array
import gc
import json
import os
import sys
import tempfile
import threading
import time
import traceback
import unittest

import tern

try:
    import numpy
except ImportError:
    numpy = None

MODEL = os.environ["TERN_TEST_MODEL"]
IMAGE = [[[[(x * y) % 7 / 7 for x in range(28)] for y in range(28)]]]


def assembly(text, **options):
    return tern.compile(text=text, language="assembly", **options)


class Interface:
    """An array of no library: what __array_interface__ alone gives."""

    def __init__(self, values, typestr="<f4", shape=None, **facts):
        self.memory = array.array({"<f4": "f", "<i8": "q", ">f4": "f"}.get(typestr, "b"), values)
        address, count = self.memory.buffer_info()
        self.__array_interface__ = {"version": 3, "typestr": typestr, "shape": shape or (count,),
                                    "data": (address, False), "strides": None, **facts}


class Loading(unittest.TestCase):
    def test_model_says_what_it_takes(self):
        program = tern.load(MODEL)
        self.assertEqual(program.inputs(), {"image": "f32[batch, 1, 28, 28]"})
        self.assertEqual(program.outputs(), {"probabilities": "f32[batch, 10]"})
        self.assertEqual(program.functions, ["main"])
        self.assertIn("main(image: f32[batch, 1, 28, 28])", repr(program))

    def test_model_from_bytes_and_executable_from_both(self):
        with open(MODEL, "rb") as file:
            program = tern.compile(file.read(), name="digits.onnx")
        expected = program.run(image=IMAGE).tolist()
        self.assertAlmostEqual(sum(expected[0]), 1, places=5)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "digits.tern")
            program.save(path)
            with open(path, "rb") as file:
                data = file.read()
            self.assertEqual(tern.load(path).run(image=IMAGE).tolist(), expected)
        self.assertEqual(tern.load(data).run(IMAGE).tolist(), expected)

    def test_kernels_are_saved(self):
        text = ("kernel twice(x: f32[n]) -> (y: f32[n]) { compute y[i] = x[i] + x[i] }\n"
                "fn main(x: f32[n]) -> f32[n] { twice(x) }\n")
        program = tern.compile(text=text)
        names = [kernel["name"] for kernel in program.kernels()]
        self.assertEqual(names, ["twice"])
        with tempfile.TemporaryDirectory() as folder:
            program.save(os.path.join(folder, "twice.tern"))
            again = tern.load(os.path.join(folder, "twice.tern"), kernels="interpreter")
            self.assertEqual(again.run([1.5, 2.0]).tolist(), [3.0, 4.0])
            self.assertEqual(again.kernels()[0]["backend"], "interpreter")

    def test_what_cannot_be_loaded(self):
        with self.assertRaises(tern.NotFoundError) as caught:
            tern.load("no-such-file.onnx")
        self.assertEqual(caught.exception.code, "E0101")
        for data in (b"", b"\x89TERN", os.urandom(300)):
            with self.assertRaises(tern.Error):
                tern.load(data)
        with self.assertRaises(tern.Error):
            tern.compile(b"no model")
        with self.assertRaisesRegex(tern.ArgumentError, "native code is not allowed here"):
            tern.load(MODEL, kernel_libraries=["kernels.so"])
        with self.assertRaisesRegex(tern.Error, "got a file of another kind"):
            tern.load(MODEL, kernel_libraries=[MODEL], allow_native_code=True)
        with self.assertRaisesRegex(tern.ArgumentError, "give one of them"):
            tern.compile()
        with self.assertRaisesRegex(tern.ArgumentError, "no language 'lua'"):
            tern.compile(text="x", language="lua")
        with self.assertRaises(tern.ArgumentError) as caught:
            tern.compile(text="fn main( {")
        self.assertTrue(caught.exception.code.startswith("E10"))
        self.assertTrue(caught.exception.diagnostics)
        with self.assertRaises(tern.Error):
            tern.load(MODEL, kernels="fast")

    def test_disabled_passes_give_the_same(self):
        plain = tern.load(MODEL).run(IMAGE).tolist()[0]
        other = tern.compile(MODEL, disabled_passes=["fuse_epilogues"]).run(IMAGE).tolist()[0]
        for a, b in zip(plain, other):
            self.assertAlmostEqual(a, b, places=5)
        with self.assertRaises(tern.Error):
            tern.compile(MODEL, disabled_passes=["no_such_pass"])


class Values(unittest.TestCase):
    def setUp(self):
        self.same = assembly(".func @main(x)\n  ret ret %0\n")

    def test_come_back_as_they_went(self):
        for value in (None, True, False, 0, -5, 2**63 - 1, -2**63, 1.5, "", "short", "é" * 40,
                      b"", b"\0\1\2", (), (1, "a"), [], [1, [2.5, None]], {}, {"k": [1], 2: "v"},
                      ((1,), [()], {"x": (b"y",)})):
            result = self.same.run(value)
            self.assertEqual(result, value)
            self.assertIs(type(result), type(value))

    def test_what_is_no_value(self):
        for value in (2**63, -2**63 - 1):
            with self.assertRaisesRegex(tern.ArgumentError, "no 64-bit integer"):
                self.same.run(value)
        for value in (object(), 1j, [object()], {"k": {1, 2}}, (1, [2, 3j])):
            with self.assertRaisesRegex(tern.KindError, "no value of Tern's"):
                self.same.run(value)

    def test_tensors_of_lists(self):
        for data, dtype, shape in ((3, "i64", ()), ([1.5, 2], "f32", (2,)), ([], "i64", (0,)),
                                   ([[True], [False]], "bool", (2, 1))):
            made = tern.tensor(data)
            self.assertEqual((made.dtype, made.shape), (dtype, shape))
            self.assertEqual(made.tolist(), data)
        for dtype in ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64"):
            self.assertEqual(tern.tensor([[1, 2], [3, 4]], dtype).tolist(), [[1, 2], [3, 4]])
        self.assertEqual(tern.tensor([[7]]).item(), 7)
        for data, dtype in (([[1], 2], None), ([[1], [2, 3]], None), ([300], "u8"), ([1.5], "i32"),
                            (["a"], None), ([1], "f7")):
            with self.assertRaises(tern.Error):
                tern.tensor(data, dtype)
        with self.assertRaises(tern.ArgumentError):
            tern.tensor([1, 2]).item()

    def test_memory_is_shared_and_kept(self):
        source = Interface([1, 2, 3, 4, 5, 6], shape=(2, 3))
        before = sys.getrefcount(source)
        kept = self.same.run(source)
        source.memory[0] = 10
        self.assertEqual(kept.tolist(), [[10, 2, 3], [4, 5, 6]])
        self.assertGreater(sys.getrefcount(source), before)
        del kept
        gc.collect()
        self.assertEqual(sys.getrefcount(source), before)

    def test_interfaces_that_are_no_tensors(self):
        for broken in (Interface([1], typestr=">f4"), Interface([1], typestr="<c8"),
                       Interface([1], typestr="|O8"), Interface([1, 2, 3], strides=(3,))):
            with self.assertRaises(tern.Error):
                self.same.run(broken)

    def test_strides_of_others(self):
        source = Interface([1, 2, 3, 4, 5, 6], shape=(3, 2), strides=(4, 12))  # a transpose
        self.assertEqual(self.same.run(source).tolist(), [[1, 4], [2, 5], [3, 6]])

    def test_dlpack_both_ways(self):
        made = tern.tensor([[1.0, 2.0]])
        for version in (None, (1, 0)):
            capsule = made.__dlpack__(max_version=version) if version else made.__dlpack__()
            kind = "dltensor_versioned" if version else "dltensor"
            self.assertIn(f'"{kind}"', repr(capsule))

            class Lent:
                def __dlpack__(self, capsule=capsule, **unused):
                    return capsule

            back = self.same.run(Lent())
            self.assertEqual(back.tolist(), [[1.0, 2.0]])
            with self.assertRaisesRegex(tern.KindError, "used_dltensor"):
                self.same.run(Lent())  # it was taken
            del back
        self.assertEqual(made.__dlpack_device__(), (1, 0))
        del capsule, made
        gc.collect()

    def test_dlpack_refuses(self):
        made = tern.tensor([1.0])
        with self.assertRaises(tern.ArgumentError):
            made.__dlpack__(stream=1)
        with self.assertRaises(tern.ArgumentError):
            made.__dlpack__(copy=True)

    def test_data_types_of_programs(self):
        program = tern.compile(text="type Tree { Leaf(int), Node(Tree, Tree) }\n"
                                    "fn main() -> Tree { Node(Leaf(1), Leaf(2)) }\n")
        tree = program.run()
        self.assertIsInstance(tree, tern.Data)
        self.assertEqual(tree.tag, 1)
        self.assertEqual(tree.fields, ((1,), (2,)))  # the first constructor is a tuple
        self.assertEqual(self.same.run(tree).fields, tree.fields)


@unittest.skipIf(numpy is None, "this environment is the one without NumPy")
class NumPy(unittest.TestCase):
    def setUp(self):
        self.same = assembly(".func @main(x)\n  ret ret %0\n")

    def test_all_data_types(self):
        for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
                     "float16", "float32", "float64", "bool"):
            source = numpy.arange(6).reshape(2, 3).astype(name)
            back = self.same.run(source)
            self.assertTrue(numpy.shares_memory(numpy.asarray(back), source))
            self.assertEqual(back.numpy().dtype, source.dtype)
            numpy.testing.assert_array_equal(back.numpy(), source)
        for source in (numpy.zeros(2, numpy.complex64), numpy.array(["a"]),
                       numpy.zeros(2, ">f4"), numpy.array([object()])):
            with self.assertRaises(tern.Error):
                self.same.run(source)

    def test_views_and_read_only_arrays(self):
        source = numpy.arange(24, dtype=numpy.float32).reshape(4, 6)
        for view in (source.T, source[::2, 1:4], source[::-1], source[:0], source[2, 3]):
            numpy.testing.assert_array_equal(self.same.run(view).numpy(), view)
        source.setflags(write=False)
        back = self.same.run(source)
        self.assertTrue(back.read_only)
        self.assertFalse(numpy.asarray(back).flags.writeable)
        with self.assertRaisesRegex(tern.ArgumentError, "read-only"):
            back.__dlpack__()

    def test_results_outlive_the_program(self):
        program = tern.load(MODEL)
        result = program.run(image=numpy.array(IMAGE, numpy.float32)).numpy()
        expected = result.copy()
        del program
        gc.collect()
        numpy.testing.assert_array_equal(result, expected)
        self.assertEqual(numpy.from_dlpack(tern.tensor([1.0, 2.0])).tolist(), [1.0, 2.0])

    def test_a_model_gives_what_lists_give(self):
        program = tern.load(MODEL)
        batch = numpy.concatenate([numpy.array(IMAGE, numpy.float32)] * 3)
        together = program(batch).numpy()
        self.assertEqual(together.shape, (3, 10))
        numpy.testing.assert_allclose(together[2], program(IMAGE).tolist()[0], rtol=1e-6)


class Running(unittest.TestCase):
    def test_arguments_by_name_and_position(self):
        program = tern.compile(text="fn main(a: int, b: int) -> int { a - b }\n"
                                    "fn other(a: int) -> int { a }\n")
        self.assertEqual(program.run(5, 3), 2)
        self.assertEqual(program.run(b=5, a=3), -2)
        self.assertEqual(program.run(5, b=1), 4)
        for args, inputs, text in (((1,), {}, "needs b"), ((1, 2, 3), {}, "takes 2 arguments"),
                                   ((1,), {"c": 2}, "no input 'c'"), ((1,), {"a": 2}, "twice")):
            with self.assertRaisesRegex(tern.ArgumentError, text):
                program.run(*args, **inputs)
        with self.assertRaisesRegex(tern.ArgumentError, "no function 'nothing'"):
            program.run(function="nothing")
        with self.assertRaises(tern.Error):
            program.run("a", "b")

    def test_wrong_extents_name_the_parameter(self):
        program = tern.load(MODEL)
        with self.assertRaises(tern.ArgumentError) as caught:
            program.run(image=[[[[0.0] * 27] * 28]])
        self.assertEqual(caught.exception.code, "E0203")
        self.assertIn("`image`", caught.exception.message)

    def test_frames_of_the_program_are_in_the_traceback(self):
        program = assembly(".func @inner(x)\n  fatal \"it fell\"\n"
                           ".func @main(x)\n  move %0 dst: %1\n  invoke @inner in: %1 dst: %2\n"
                           "  ret ret %2\n", name="falls.tasm")
        try:
            program.run(1)
            self.fail("it must not return")
        except tern.FailedError as error:
            frames = traceback.extract_tb(error.__traceback__)
        self.assertEqual([frame.name for frame in frames[-2:]], ["@main", "@inner"])
        self.assertEqual(frames[-1].filename, "<tern: falls.tasm>")
        self.assertIn("invoke", frames[-2].line)
        self.assertIn("fatal", frames[-1].line)

    def test_limits_end_a_run_and_leave_the_program(self):
        endless = ".func @main(x)\n  if %0 true: again false: done\nagain:\n  move %0 dst: %1\n" \
                  "  goto again\ndone:\n  ret ret %0\n"
        for limits in ({"max_instructions": 1000}, {"max_seconds": 0.05}):
            program = assembly(endless, **limits)
            with self.assertRaises(tern.StoppedError):
                program.run(True)
            self.assertEqual(program.run(False), False)
        deep = assembly(".func @main(x)\n  invoke @main in: %0 dst: %1\n  ret ret %1\n",
                        max_depth=10)
        with self.assertRaises(tern.Error):
            deep.run(1)
        small = tern.compile(text="fn grow(n: int, l: List[int]) -> List[int] "
                             "{ if n == 0 { l } else { grow(n - 1, append(l, n)) } }\n"
                             "fn main(n: int) -> List[int] { grow(n, []) }\n", max_bytes=1 << 20)
        with self.assertRaises(tern.MemoryLimitError):
            small.run(10_000_000)
        self.assertEqual(small.run(2), [2, 1])
        with self.assertRaises(tern.MemoryLimitError):
            tern.compile(text="fn main(x: int) -> int { x }\n", max_bytes=4096)

    def test_threads_run_side_by_side(self):
        program = assembly(".func @main(n)\n  load_const int 0 dst: %1\nagain:\n"
                           "  lt %1, %0 dst: %2\n  if %2 true: +1 false: done\n"
                           "  add %1, 1 dst: %1\n  goto again\ndone:\n  ret ret %1\n")
        ticks, results = [], []
        worker = threading.Thread(target=lambda: results.append(program.run(30_000_000)))
        worker.start()
        while worker.is_alive():
            ticks.append(1)
            time.sleep(0.001)
        worker.join()
        self.assertEqual(results, [30_000_000])
        self.assertGreater(len(ticks), 5)  # Python went on meanwhile

    def test_profiles(self):
        profile = tern.profile(tern.load(MODEL), IMAGE, repeat=2)
        self.assertIn("conv2d", str(profile))
        self.assertIsInstance(profile.json(), dict)
        self.assertIn("traceEvents", json.loads(profile.export("chrome")))
        with self.assertRaises(tern.Error):
            profile.export("nothing")

    def test_notebooks(self):
        program = tern.compile(text='fn main() -> string { "<b>&" }')
        shown = program._repr_html_()
        self.assertIn("<details>", shown)
        self.assertNotIn("<b>&", shown)
        self.assertIn("Profile", program.profile(repeat=1)._repr_html_())


class Functions(unittest.TestCase):
    def test_python_called_from_tern(self):
        @tern.function("py.add", signature="(int, int) -> int")
        def add(a, b):
            return a + b

        program = assembly(".func @main(a, b)\n  call py.add in: %0, %1 dst: %2\n  ret ret %2\n")
        self.assertEqual(program.run(2, 3), 5)
        self.assertEqual(program.run([1], [2]), [1, 2])
        self.assertEqual(add(4, 5), 9)
        self.assertIn("py.add", tern.function_names())
        with self.assertRaises(tern.Error):
            tern.function("py.add")(lambda: None)
        tern.remove_function("py.add")
        self.assertEqual(program.run(2, 3), 5)  # linked before
        with self.assertRaises(tern.Error):
            tern.get_function("py.add")

    def test_what_python_raises_is_the_cause(self):
        @tern.function("py.fails")
        def fails(what):
            raise what[0]

        program = assembly(".func @main(f)\n  call py.fails in: %0 dst: %1\n  ret ret %1\n")
        with self.assertRaises(tern.FailedError) as caught:
            program.run([1])  # an int cannot be raised
        self.assertIsInstance(caught.exception.__cause__, TypeError)
        self.assertIn("@main", caught.exception.message + str(caught.exception))
        tern.remove_function("py.fails")

    def test_an_interrupt_stays_one(self):
        @tern.function("py.interrupt")
        def interrupt():
            raise KeyboardInterrupt

        program = assembly(".func @main()\n  call py.interrupt dst: %0\n  ret ret %0\n")
        with self.assertRaises(KeyboardInterrupt):
            program.run()
        tern.remove_function("py.interrupt")

    def test_closures_go_through(self):
        program = assembly(".func @main(f)\n  ret ret %0\n")
        returned = program.run(lambda x: x + 1)
        self.assertIsInstance(returned, tern.Function)
        self.assertEqual(returned(41), 42)
        with self.assertRaises(tern.Error):
            returned()

    def test_operators_by_name(self):
        softmax = tern.get_function("softmax{axis=0}")
        self.assertAlmostEqual(sum(softmax(tern.tensor([1.0, 2.0])).tolist()), 1, places=6)
        with self.assertRaises(tern.Error):
            softmax("text")
        with self.assertRaises(tern.Error):
            tern.get_function("no_such_operator")


if __name__ == "__main__":
    run = unittest.TextTestRunner(verbosity=1).run(
        unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]))
    count = run.testsRun - len(run.skipped)
    print(json.dumps({"tests": count, "failed": len(run.failures) + len(run.errors)}))
