// SPDX-License-Identifier: Apache-2.0
// C++17: from a model's file to a result that other frameworks take, a DLPack tensor.
//   digit MODEL IMAGE     IMAGE: 28 x 28 bytes, 0 is black
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <tern/tern.hpp>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 3) return std::fputs("usage: digit MODEL IMAGE\n", stderr), 2;
  std::ifstream file(argv[2], std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<float> pixels(bytes.size());
  std::transform(bytes.begin(), bytes.end(), pixels.begin(),
                 [](char byte) { return static_cast<float>(static_cast<unsigned char>(byte)); });

  const tern::Runtime runtime = tern::Runtime::Create().value();
  const tern::Expected<tern::Program> program = runtime.LoadFile(argv[1]);
  if (!program) return std::fputs(program.error().text(), stderr), 1;
  tern::Machine machine = program->Start().value();
  const auto image = runtime.Tensor({1, 1, 28, 28}, pixels);
  if (!image) return std::fputs(image.error().text(), stderr), 1;
  const tern::Dlpack result = machine.Call("main", {*image}).value().ToDlpack().value();

  const TernDLTensor& tensor = result->dl_tensor;
  const float* p = static_cast<const float*>(tensor.data);
  const auto best = std::max_element(p, p + tensor.shape[1]) - p;
  std::printf("digit %d (%.2f %%), f32[%d, %d]\n", static_cast<int>(best),
              100 * static_cast<double>(p[best]), static_cast<int>(tensor.shape[0]),
              static_cast<int>(tensor.shape[1]));
  return 0;
}
