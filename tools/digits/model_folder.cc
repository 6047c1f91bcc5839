// SPDX-License-Identifier: Apache-2.0
// The cases: single digits as bytes, a batch of ten, one image scaled to 0..1, a blank image and
// noise (the last two made by the runner's own generator, no file needed).
#include "tools/digits/model_folder.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tools/digits/draw.h"
#include "tools/digits/onnx_file.h"
#include "tools/digits/reference.h"

namespace tern::digits {
namespace {

struct Case {
  std::string name;
  std::string gen;  // JSON of how the input is made
  std::vector<float> images;

  size_t batch() const { return images.size() / kPixels; }
};

bool WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) std::fprintf(stderr, "cannot write %s\n", path.c_str());
  return !out.fail();
}

std::string Npy(const std::vector<float>& values, const std::string& shape) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
  // NumPy wants data aligned to 64 bytes.
  header.resize(128 - 10 - 1, ' ');  // so that the data starts at 128
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() % 256);
  out += static_cast<char>(header.size() / 256);
  out += header;
  const size_t start = out.size();
  out.resize(start + values.size() * sizeof(float));
  std::memcpy(out.data() + start, values.data(), values.size() * sizeof(float));
  return out;
}

std::vector<float> Drawn(int first, int count, uint64_t seed) {
  std::vector<float> images(static_cast<size_t>(count) * kPixels);
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    DrawDigit((first + i) % 10, {}, random, images.data() + i * kPixels);
  }
  return images;
}

Case LcgCase(const char* name, uint32_t seed, int lo, int hi) {
  std::ostringstream gen;
  gen << "{ \"kind\": \"lcg\", \"seed\": " << seed << ", \"lo\": " << lo << ", \"hi\": " << hi
      << " }";
  Case made{name, gen.str(), std::vector<float>(kPixels)};
  for (float& v : made.images) {
    // The generator of the runner, to the last bit: see "rng" in inputs.json.
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<float>(lo + (hi - lo) * (static_cast<double>(seed >> 8) / 16777216.0));
  }
  return made;
}

bool AddByteCase(const std::string& folder, int digit, uint64_t seed, std::vector<Case>& cases) {
  const std::string name = "drawn" + std::to_string(digit);
  const std::string file = "inputs/" + name + ".s0.image.u8";
  cases.push_back({name,
                   "{ \"kind\": \"u8\", \"file\": \"" + file +
                       "\", \"layout\": \"nchw\", \"channels\": 1, \"order\": \"Y\", "
                       "\"mean\": [0], \"std\": [1] }",
                   Drawn(digit, 1, seed)});
  std::string bytes;
  for (float v : cases.back().images) bytes += static_cast<char>(static_cast<int>(v));
  return WriteFile(folder + "/" + file, bytes);
}

bool AddNpyCase(const std::string& folder, const std::string& name, std::vector<float> images,
                std::vector<Case>& cases) {
  const std::string file = "inputs/" + name + ".s0.image.npy";
  cases.push_back({name, "{ \"kind\": \"npy\", \"file\": \"" + file + "\" }", images});
  const std::string shape = std::to_string(cases.back().batch()) + ", 1, 28, 28";
  return WriteFile(folder + "/" + file, Npy(images, shape));
}

bool MakeCases(const std::string& folder, std::vector<Case>& cases) {
  bool ok = AddByteCase(folder, 3, 1003, cases) && AddByteCase(folder, 5, 1005, cases) &&
            AddByteCase(folder, 8, 1008, cases);
  ok = ok && AddNpyCase(folder, "batch10", Drawn(0, 10, 1010), cases);
  // The model divides by the peak, so that images of 0 to 1 and of 0 to 255 are the same to it.
  std::vector<float> unit = Drawn(2, 1, 1002);
  for (float& v : unit) v /= 255.0f;
  ok = ok && AddNpyCase(folder, "unit-range", unit, cases);
  cases.push_back(LcgCase("blank", 1, 0, 0));
  cases.push_back(LcgCase("noise", 7, 0, 255));
  return ok;
}

std::string InputsJson(const std::vector<Case>& cases) {
  std::ostringstream out;
  out << "{\n \"model\": \"model.onnx\",\n"
      << " \"rng\": \"lcg: s=seed (uint32); each draw s=(s*1664525+1013904223) mod 2^32; "
         "u=(s>>>8)/2^24; value=f32(lo+(hi-lo)*u), row-major\",\n"
      << " \"note\": \"u8 files: value=f32((u8-mean[c])/std[c]); npy files: as stored\",\n"
      << " \"cases\": [";
  for (const Case& c : cases) {
    out << (&c == cases.data() ? "" : ",") << "\n  {\n   \"name\": \"" << c.name
        << "\",\n   \"steps\": [[{ \"name\": \"image\", \"type\": \"float32\", \"dims\": ["
        << c.batch() << ", 1, 28, 28],\n    \"gen\": " << c.gen << " }]]\n  }";
  }
  out << "\n ]\n}\n";
  return out.str();
}

std::string Number(double v) {
  char text[40];
  // All digits that a double has.
  std::snprintf(text, sizeof text, "%.17g", v);
  return text;
}

// The outputs of one case: in the JSON when single, in a file when a batch.
bool AppendExpected(const std::string& folder, const Case& c, const Tensors& model,
                    std::ostringstream& json) {
  std::vector<float> all;
  for (size_t i = 0; i < c.batch(); ++i) {
    const std::vector<double> p = Classify(model, c.images.data() + i * kPixels);
    for (double v : p) all.push_back(static_cast<float>(v));
  }
  double sum = 0, square = 0;
  for (float v : all) sum += v, square += static_cast<double>(v) * v;
  json << "  {\n   \"name\": \"" << c.name
       << "\",\n   \"steps\": [[{ \"name\": \"probabilities\", \"type\": \"float32\", \"dims\": ["
       << c.batch() << ", 10],\n    \"sum\": " << Number(sum)
       << ", \"l2\": " << Number(std::sqrt(square))
       << ", \"min\": " << Number(*std::min_element(all.begin(), all.end()))
       << ", \"max\": " << Number(*std::max_element(all.begin(), all.end()))
       << ", \"nonfinite\": 0, \"n\": " << all.size() << ",\n    ";
  const std::string file = "expected/" + c.name + ".s0.probabilities.npy";
  json << (c.batch() == 1 ? "\"values\": [" : "\"file\": \"" + file + "\"");
  for (size_t i = 0; c.batch() == 1 && i < all.size(); ++i) {
    json << (i == 0 ? "" : ", ") << Number(all[i]);
  }
  json << (c.batch() == 1 ? "]" : "") << " }]]\n  }";
  return c.batch() == 1 ||
         WriteFile(folder + "/" + file, Npy(all, std::to_string(c.batch()) + ", 10"));
}

bool WriteExpected(const std::string& folder, const std::vector<Case>& cases,
                   const Tensors& model) {
  std::ostringstream json;
  json << "{\n \"generator\": \"tools/digits/reference.cc, double precision\",\n \"cases\": [\n";
  for (const Case& c : cases) {
    if (!AppendExpected(folder, c, model, json)) return false;
    json << (&c == &cases.back() ? "\n" : ",\n");
  }
  json << " ]\n}\n";
  return WriteFile(folder + "/expected/expected.json", json.str());
}

std::string OpsJson(const Tensors& model) {
  size_t parameters = 1;  // the epsilon of the peak
  for (const NamedTensor& t : model) parameters += t.values.size();
  std::ostringstream out;
  out << "{\n \"ir\": 7,\n \"opset\": [\":13\"],\n \"producer\": \"tern tools/digits\",\n"
      << " \"nodes\": 23,\n \"params\": " << parameters << ",\n \"initTypes\": { \"float32\": "
      << parameters << " },\n \"controlFlow\": [],\n"
      << " \"ops\": { \"MaxPool\": 4, \"Add\": 1, \"Div\": 1, \"Conv\": 4,"
         " \"BatchNormalization\": 4, \"Relu\": 5, \"Flatten\": 1, \"Gemm\": 2, \"Softmax\": 1 },\n"
      << " \"inputs\": [{ \"name\": \"image\", \"type\": \"float32\", "
         "\"dims\": [\"batch\", 1, 28, 28] }],\n"
      << " \"outputs\": [{ \"name\": \"probabilities\", \"type\": \"float32\", "
         "\"dims\": [\"batch\", 10] }]\n}\n";
  return out.str();
}

}  // namespace

bool WriteModelFolder(const std::string& folder, const Tensors& model) {
  std::error_code ignored;
  std::filesystem::create_directories(folder + "/inputs", ignored);
  std::filesystem::create_directories(folder + "/expected", ignored);
  std::vector<Case> cases;
  return MakeCases(folder, cases) && WriteFile(folder + "/model.onnx", OnnxBytes(model)) &&
         WriteFile(folder + "/ops.json", OpsJson(model)) &&
         WriteFile(folder + "/inputs.json", InputsJson(cases)) &&
         WriteExpected(folder, cases, model);
}

std::vector<float> ReadImages(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
    return {};
  }
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const bool npy = bytes.size() > 10 && bytes.compare(1, 5, "NUMPY") == 0 && bytes[6] == 1;
  const size_t start =
      // The length of the header follows magic and version, with the lower byte first.
      npy ? 10u + static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9])
          : 0;
  constexpr size_t kImageBytes = kPixels * sizeof(float);
  if (!npy || bytes.find("'<f4'") > start || bytes.size() <= start ||
      (bytes.size() - start) % kImageBytes != 0) {
    std::fprintf(stderr, "%s: expected a version 1 .npy file of float32 [N, 1, 28, 28]\n",
                 path.c_str());
    return {};
  }
  std::vector<float> images((bytes.size() - start) / sizeof(float));
  std::memcpy(images.data(), bytes.data() + start, bytes.size() - start);
  return images;
}

}  // namespace tern::digits
