# SPDX-License-Identifier: Apache-2.0
"""ImageDecoder with images of every kind that it decodes, and what it refuses.

usage: images_test.py COMMAND…                     ends with `N passed, N failed`
COMMAND runs the command line, such as build/host/tern or qemu-aarch64 build/aarch64/tern.

PNG, BMP, PNM and TIFF are written here from known pixels. Pixels of the JPEG files in images/ are
those of libjpeg-turbo's djpeg 2.1.5 with its defaults, kept as their CRC: decoders may differ by
one, and a model that was tested with that library must see the same.
"""
import os
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "models"))
import onnx_writer as onnx  # noqa: E402

RANDOM = np.random.default_rng(3)
# Height, width and the CRC of the RGB bytes that djpeg gives.
JPEGS = {"420": (29, 37, 0x2c5de749), "422": (21, 37, 0xad8b34b1),
         "440": (37, 21, 0xb4255086), "grey": (19, 23, 0xa0b21129),
         "progressive": (35, 41, 0x2e64faf5), "restart": (40, 40, 0xcc2b6c1d),
         "rgb": (15, 17, 0x70842438), "narrow": (40, 3, 0x1b84ff08)}
PASSES = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2),
          (1, 0, 2, 1)]


def picture(height, width, channels=3, most=256):
    return RANDOM.integers(0, most, (height, width, channels)).astype(np.uint8)


# --- writers

def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(
        ">I", zlib.crc32(kind + content))


def packed_rows(values, depth):
    """Rows of values of so many bits, each row in whole bytes."""
    if depth == 16:
        return [row.astype(">u2").tobytes() for row in values.reshape(len(values), -1)]
    rows = values.reshape(len(values), -1)
    if depth == 8:
        return [row.tobytes() for row in rows]
    bits = (rows[..., None] >> np.arange(depth - 1, -1, -1)) & 1
    return [np.packbits(row.ravel()).tobytes() for row in bits.astype(np.uint8)]


def filtered(rows, step):
    """Each row behind a filter of its own."""
    out, above = b"", bytes(len(rows[0]) if rows else 0)
    for number, row in enumerate(rows):
        kind = number % 5
        line = bytearray()
        for i, value in enumerate(row):
            a, b, c = (row[i - step], above[i], above[i - step]) if i >= step else (0, above[i], 0)
            p = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            line.append((value - (0, a, b, (a + b) // 2, p)[kind]) & 255)
        out += bytes([kind]) + line
        above = row
    return out


def png(values, depth, colour, interlaced=False, palette=b"", pieces=1, level=9):
    height, width, channels = values.shape
    step = max(1, channels * depth // 8)
    parts = [values[y::dy, x::dx] for y, x, dy, dx in PASSES] if interlaced else [values]
    raw = b"".join(filtered(packed_rows(part, depth), step) for part in parts if part.size)
    content = zlib.compress(raw, level)
    cut = -(-len(content) // pieces)
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    chunks = chunk(b"IHDR", head) + (chunk(b"PLTE", palette) if palette else b"")
    chunks += b"".join(chunk(b"IDAT", content[i:i + cut]) for i in range(0, len(content), cut))
    return b"\x89PNG\r\n\x1a\n" + chunks + chunk(b"IEND", b"")


def bmp(rows, width, height, bits, palette=b"", masks=b""):
    offset = 54 + len(palette) + len(masks)
    lines = [row + bytes(-len(row) % 4) for row in rows]
    content = b"".join(lines)
    return (b"BM" + struct.pack("<IHHI", offset + len(content), 0, 0, offset) +
            struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, 3 if masks else 0, 0, 0, 0, 0,
                        0) + masks + palette + content)


def tiff(values, order="<", compression=1, meaning=2, bits=8, predictor=1, strip=4, palette=None):
    height, width, channels = values.shape
    if predictor == 2:
        first = values[:, :1]
        values = np.concatenate([first, np.diff(values, axis=1)], 1).astype(np.uint8)
    data = values.astype(f"{order}u2") * 257 if bits == 16 else values
    rows = packed_rows(values, 1) if bits == 1 else [row.tobytes() for row in data]
    strips = [b"".join(rows[y:y + strip]) for y in range(0, height, strip)]
    if compression == 8:
        strips = [zlib.compress(piece) for piece in strips]
    elif compression == 32773:
        strips = [pack_bits(piece) for piece in strips]
    out, offsets = b"", []
    for piece in strips:
        offsets.append(8 + len(out))
        out += piece
    entries = [(256, 3, [width]), (257, 4, [height]), (258, 3, [bits] * channels),
               (259, 3, [compression]), (262, 3, [meaning]), (273, 4, offsets),
               (277, 3, [channels]), (278, 3, [strip]), (279, 4, [len(piece) for piece in strips]),
               (317, 3, [predictor])] + ([(320, 3, palette)] if palette else [])
    directory = struct.pack(order + "H", len(entries))
    for tag, kind, numbers in entries:
        packed = struct.pack(f"{order}{len(numbers)}{'H' if kind == 3 else 'I'}", *numbers)
        if len(packed) > 4:
            place, out = 8 + len(out), out + packed
            packed = struct.pack(order + "I", place)
        directory += struct.pack(order + "HHI", tag, kind, len(numbers)) + packed.ljust(4, b"\0")
    head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", 8 + len(out))
    return head + out + directory + bytes(4)


def pack_bits(content):
    out, at = b"", 0
    while at < len(content):
        run = 1
        while at + run < len(content) and run < 128 and content[at + run] == content[at]:
            run += 1
        if run > 1:
            out += bytes([257 - run, content[at]])
        else:
            out += bytes([0, content[at]])
        at += run
    return out


# --- cases: (name, bytes, pixels or a part of the message, pixel format)

def grey(values):
    return np.repeat(values, 3, 2)


def png_cases():
    rgb = picture(11, 13)
    yield "png", png(rgb, 8, 2), rgb
    yield "png in pieces", png(rgb, 8, 2, pieces=5), rgb
    yield "png stored", png(rgb, 8, 2, level=0), rgb
    flat = np.full((90, 70, 3), 7, np.uint8)
    yield "png of one colour", png(flat, 8, 2), flat
    for interlaced in (False, True):
        for depth in (1, 2, 4, 8):
            values = picture(9, 10, 1, 1 << depth)
            scaled = (values * (255 // ((1 << depth) - 1))).astype(np.uint8)
            yield f"png grey {depth}", png(values, depth, 0, interlaced), grey(scaled)
            colours = picture(1 << depth, 1)
            yield (f"png palette {depth}", png(values, depth, 3, interlaced, colours.tobytes()),
                   colours[values[..., 0], 0])
        wide = RANDOM.integers(0, 65536, (7, 5, 3))
        yield "png 16", png(wide, 16, 2, interlaced), (wide >> 8).astype(np.uint8)
        alpha = picture(6, 7, 4)
        yield "png alpha", png(alpha, 8, 6, interlaced), alpha[..., :3]
        both = picture(6, 7, 2)
        yield "png grey alpha", png(both, 8, 4, interlaced), grey(both[..., :1])
    yield "png of one pixel", png(rgb[:1, :1], 8, 2, True), rgb[:1, :1]
    whole = png(rgb, 8, 2)
    yield "png cut", whole[:60], "longer than the file"
    yield "png without palette", png(picture(2, 2, 1), 8, 3), "of 0"
    yield "png colour", whole[:25] + b"\x05" + whole[26:], "colour type 5"
    yield "png bomb", png(np.zeros((1, 1, 1), np.uint8), 8, 0).replace(
        struct.pack(">II", 1, 1), struct.pack(">II", 1 << 20, 1 << 20)), "too few"
    yield "png empty", whole.replace(struct.pack(">II", 13, 11), bytes(8)), "expected 1 to"
    yield "png damaged", whole.replace(whole[60:64], b"\xff\xff\xff\xff"), "damaged"


def bmp_cases():
    rgb = picture(5, 7)
    lines = [row[:, ::-1].tobytes() for row in rgb]
    yield "bmp", bmp(lines[::-1], 7, 5, 24), rgb
    yield "bmp top down", bmp(lines, 7, -5, 24), rgb
    four = np.concatenate([rgb[..., ::-1], rgb[..., :1]], 2)
    yield "bmp 32", bmp([row.tobytes() for row in four], 7, -5, 32), rgb
    masks = struct.pack("<III", 0xff, 0xff00, 0xff0000)
    yield "bmp masks", bmp([row.tobytes() for row in four], 7, -5, 32, masks=masks), rgb[..., ::-1]
    for bits in (1, 4, 8):
        values = picture(6, 9, 1, 1 << bits)
        colours = picture(1 << bits, 1, 4)
        yield (f"bmp {bits}", bmp(packed_rows(values, bits), 9, -6, bits, colours.tobytes()),
               colours[values[..., 0], 0, 2::-1])
    five = RANDOM.integers(0, 1 << 15, (4, 6)).astype("<u2")
    want = np.stack([five >> shift & 31 for shift in (10, 5, 0)], -1).astype(int)
    yield ("bmp 16", bmp([row.tobytes() for row in five], 6, -4, 16),
           ((want * 255 + 15) // 31).astype(np.uint8))
    whole = bmp(lines, 7, -5, 24)
    yield "bmp cut", whole[:-9], "expected"
    yield "bmp bits", bmp(lines, 7, -5, 23), "23 bits"
    yield "bmp rle", whole[:30] + b"\x01" + whole[31:], "compression 1"


def pnm_cases():
    rgb, one, bits = picture(4, 5), picture(4, 9, 1), picture(3, 11, 1, 2)
    yield "ppm", b"P6\n# made\n5 4\n255\n" + rgb.tobytes(), rgb
    yield "pgm", b"P5 9 4 255\n" + one.tobytes(), grey(one)
    yield "pbm", b"P4\n11 3\n" + b"".join(packed_rows(bits, 1)), grey(255 * (1 - bits))
    text = " ".join(str(value) for value in rgb.ravel()).encode()
    yield "ppm as text", b"P3 5 4 255\n" + text, rgb
    digits = "".join(map(str, bits.ravel())).encode()
    yield "pbm as text", b"P1 11 3\n" + digits, grey(255 * (1 - bits))
    wide = RANDOM.integers(0, 1001, (3, 4, 1))
    yield ("pgm of 1000", b"P5 4 3 1000\n" + wide.astype(">u2").tobytes(),
           grey(((wide * 255 + 500) // 1000).astype(np.uint8)))
    yield "pgm cut", b"P5 9 4 255\n" + one.tobytes()[:-1], "expected"
    yield "pgm value", b"P5 2 1 100\n\x01\xc8", "expected 0 to 100"
    yield "pnm kind", b"P7\nWIDTH 3\n", "kind of 1 to 6"
    yield "pgm most", b"P5 2 1 0\n12", "greatest value"


def tiff_cases():
    rgb, one = picture(10, 7), picture(10, 7, 1)
    for order in "<>":
        yield f"tiff {order}", tiff(rgb, order), rgb
        yield f"tiff 16 {order}", tiff(rgb, order, bits=16), rgb
        yield f"tiff zlib {order}", tiff(rgb, order, 8, predictor=2), rgb
    yield "tiff grey", tiff(one, meaning=1), grey(one)
    yield "tiff inverted", tiff(one, meaning=0), grey(255 - one)
    yield "tiff bits", tiff(one % 2, meaning=1, bits=1), grey(one % 2 * 255)
    flat = np.repeat(one, 3, 0)
    yield "tiff packbits", tiff(flat, compression=32773, meaning=1), grey(flat)
    colours = RANDOM.integers(0, 256, (3, 256))
    yield ("tiff palette", tiff(one, meaning=3, palette=[int(v) * 257 for v in colours.ravel()]),
           colours.T[one[..., 0]].astype(np.uint8))
    yield "tiff lzw", tiff(rgb, compression=5), "compression 5"
    yield "tiff cut", tiff(rgb)[:-40], "expected"
    yield "tiff meaning", tiff(rgb, meaning=6), "meaning 6"


def jpeg_cases():
    for name in JPEGS:
        with open(os.path.join(ROOT, "tests/onnx/images", name + ".jpg"), "rb") as file:
            content = file.read()
        yield "jpeg " + name, content, JPEGS[name]
    yield "jpeg cut", content[:-20], "too early"
    yield "jpeg head", content[:30], "segment"
    yield "jpeg frame", content.replace(b"\xff\xc0", b"\xff\xc9"), "arithmetically"
    at = content.index(b"\xff\xc0") + 5
    yield "jpeg bomb", content[:at] + b"\xff\xff\xff\xff" + content[at + 4:], "too few"


def other_cases():
    rgb = picture(3, 4)
    yield "bgr", png(rgb, 8, 2), rgb[..., ::-1], "BGR"
    weighed = rgb.astype(int) @ np.array([19595, 38470, 7471]) + 0x8000
    yield ("grey of colours", png(rgb, 8, 2), (weighed >> 16).astype(np.uint8)[..., None],
           "Grayscale")
    yield "format", png(rgb, 8, 2), "pixel_format", "CMYK"
    yield "webp", b"RIFF\x1a\0\0\0WEBPVP8L", "kind WebP"
    yield "jpeg 2000", b"\0\0\0\x0cjP  \r\n\x87\n", "kind JPEG 2000"
    yield "text", b"hello, world", "begin like no image"
    yield "nothing", b"", "0 bytes"


# --- running them

def write(folder, content, expected, pixel_format):
    data = os.path.join(folder, "test_data_set_0")
    os.makedirs(data)
    node = onnx.node("ImageDecoder", ["data"], ["image"], "decoder", pixel_format=pixel_format)
    graph = onnx.graph("main", [node], [], [onnx.value_info("data", "u8", ["bytes"])],
                       [onnx.value_info("image", "u8", ["h", "w", "c"])])
    files = {"model.onnx": onnx.model({"": 20}, graph),
             "test_data_set_0/input_0.pb": onnx.tensor("data", "u8", [len(content)], content),
             "test_data_set_0/output_0.pb":
                 onnx.tensor("image", "u8", expected.shape, expected.tobytes())}
    for name, written in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(written)
    return os.path.join(folder, "model.onnx")


def run_jpeg(command, folder, model, content, want):
    """None, or what is wrong: the pixels' extents and CRC are compared."""
    source, made = (os.path.join(folder, name) for name in ("data.npy", "image.npy"))
    np.save(source, np.frombuffer(content, np.uint8))
    done = subprocess.run(command + ["run", model, "-i", f"data=@{source}", "--output",
                                     f"image=@{made}"], capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr
    pixels = np.load(made)
    found = (*pixels.shape[:2], zlib.crc32(np.ascontiguousarray(pixels).tobytes()))
    return None if found == want else f"{found}, expected {want}"


def run(command, content, want, pixel_format="RGB"):
    with tempfile.TemporaryDirectory() as folder:
        expected = want if isinstance(want, np.ndarray) else np.zeros((1, 1, 3), np.uint8)
        model = write(folder, content, np.ascontiguousarray(expected), pixel_format)
        if isinstance(want, tuple):
            return run_jpeg(command, folder, model, content, want)
        done = subprocess.run(command + ["check", model, "--against", folder],
                              capture_output=True, text=True, check=False)
        said = (done.stdout + done.stderr).strip()
    if isinstance(want, str):
        fits = done.returncode > 0 and want in said
        return None if fits else f"not refused with '{want}', exit {done.returncode}: {said}"
    return f"exit {done.returncode}: {said}" if done.returncode else None


def main():
    command = sys.argv[1:]
    if not command:
        sys.exit(__doc__)
    passed = failed = 0
    for cases in (png_cases, bmp_cases, pnm_cases, tiff_cases, jpeg_cases, other_cases):
        for name, *case in cases():
            problem = run(command, *case)
            passed, failed = passed + (problem is None), failed + (problem is not None)
            if problem:
                print(f"FAIL {name}: {problem}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
