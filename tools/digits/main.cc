// SPDX-License-Identifier: Apache-2.0
// Trains the digit classifier and writes its model folder:
//   digits FOLDER [--steps N] [--seed S] [--threads T] [--check FILE.npy]...
// Every image is drawn for the step that learns from it and never seen again. Prints the accuracy
// on images of other seeds, with the skeletons of the training and with those held out of it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tools/digits/draw.h"
#include "tools/digits/model_folder.h"
#include "tools/digits/net.h"
#include "tools/digits/reference.h"

namespace tern::digits {
namespace {

constexpr int kShards = 8;            // per step: a batch of 128
constexpr float kPeakRate = 3e-3f;    // Adam, after the warm-up
constexpr float kWeightDecay = 1e-4f;
constexpr float kStatisticsPace = 0.005f;
constexpr int kTestImages = 1000;     // per digit and set

struct Arguments {
  std::string folder;
  int steps = 8000;
  uint64_t seed = 1;
  int threads = 2;
  std::vector<std::string> checks;
};

// Calls work(0) ... work(count - 1), shared among threads; which one does what changes nothing.
template <typename Work>
void InParallel(int threads, int count, Work work) {
  // By turns, since all pieces take about the same time.
  auto share = [&](int first) {
    for (int i = first; i < count; i += threads) work(i);
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(share, t);
  share(0);
  for (std::thread& t : others) t.join();
}

void DrawShard(uint64_t seed, Shard& shard) {
  Random random(seed);
  shard.images.resize(kShardImages * kPixels);
  shard.labels.resize(kShardImages);
  for (int i = 0; i < kShardImages; ++i) {
    const int digit = random.Below(kClasses);
    shard.labels[static_cast<size_t>(i)] = digit;
    DrawDigit(digit, {}, random, shard.images.data() + i * kPixels);
  }
}

// Adam with decoupled weight decay.
struct Optimizer {
  std::vector<float> mean, square;
  int step = 0;

  void Update(const std::vector<float>& gradient, float rate, std::vector<float>& parameters) {
    constexpr float kBeta1 = 0.9f, kBeta2 = 0.995f;
    mean.resize(gradient.size());
    square.resize(gradient.size());
    ++step;
    const float unbias1 = 1 - std::pow(kBeta1, static_cast<float>(step));
    const float unbias2 = 1 - std::pow(kBeta2, static_cast<float>(step));
    for (size_t i = 0; i < gradient.size(); ++i) {
      const float g = gradient[i];
      mean[i] += (1 - kBeta1) * (g - mean[i]);
      square[i] += (1 - kBeta2) * (g * g - square[i]);
      const float move = mean[i] / unbias1 / (std::sqrt(square[i] / unbias2) + 1e-8f);
      parameters[i] -= rate * (move + kWeightDecay * parameters[i]);
    }
  }
};

float RateAt(int step, int steps) {
  // Up in 200 steps, because early averages are unreliable; then down to zero with the square, so
  // that the last steps only polish.
  const float warm = std::min(1.0f, static_cast<float>(step + 1) / 200.0f);
  const float left = 1.0f - static_cast<float>(step) / static_cast<float>(steps);
  return kPeakRate * warm * left * left;
}

Tensors Train(const Arguments& arguments) {
  std::vector<float> parameters = InitialParameters(arguments.seed);
  std::vector<float> statistics, gradient(parameters.size());
  std::vector<Shard> shards(kShards);
  Optimizer optimizer;
  double shown_loss = 0;
  for (int step = 0; step < arguments.steps; ++step) {
    InParallel(arguments.threads, kShards, [&](int s) {
      // By step and shard and not by thread: any number of threads learns from the same images.
      const uint64_t image_seed =
          (arguments.seed << 40) + static_cast<uint64_t>(step) * kShards + static_cast<uint64_t>(s);
      DrawShard(image_seed, shards[static_cast<size_t>(s)]);
      LearnShard(parameters, shards[static_cast<size_t>(s)]);
    });
    std::fill(gradient.begin(), gradient.end(), 0.0f);
    // A running average begins at its first value and not at zero.
    if (step == 0) statistics = shards[0].statistics;
    for (const Shard& shard : shards) {
      for (size_t i = 0; i < gradient.size(); ++i) gradient[i] += shard.gradient[i] / kShards;
      for (size_t i = 0; i < statistics.size(); ++i) {
        statistics[i] += kStatisticsPace * (shard.statistics[i] - statistics[i]);
      }
      shown_loss += shard.loss / kShards;
    }
    optimizer.Update(gradient, RateAt(step, arguments.steps), parameters);
    if ((step + 1) % 500 == 0) {
      std::printf("step %5d of %d  loss %.4f\n", step + 1, arguments.steps, shown_loss / 500);
      std::fflush(stdout);
      shown_loss = 0;
    }
  }
  return ExportTensors(parameters, statistics);
}

// Rows: the digit drawn; columns: the digit seen.
using Confusion = std::vector<std::vector<int>>;

Confusion Measure(const Arguments& arguments, const Tensors& model, const DrawOptions& options) {
  Confusion confusion(kClasses, std::vector<int>(kClasses));
  InParallel(arguments.threads, kClasses, [&](int digit) {
    Random random((uint64_t{0xD161} << 40) + static_cast<uint64_t>(digit));  // no training seed
    std::vector<float> image(kPixels);
    for (int i = 0; i < kTestImages; ++i) {
      DrawDigit(digit, options, random, image.data());
      const int seen = Best(Classify(model, image.data()));
      ++confusion[static_cast<size_t>(digit)][static_cast<size_t>(seen)];
    }
  });
  return confusion;
}

void Report(const char* name, const Confusion& confusion) {
  int right = 0;
  std::printf("%-34s", name);
  for (size_t d = 0; d < confusion.size(); ++d) {
    right += confusion[d][d];
    std::printf(" %5.1f", 100.0 * confusion[d][d] / kTestImages);
  }
  std::printf("  all %6.2f %%\n", 100.0 * right / (kClasses * kTestImages));
}

void ReportMistakes(const Confusion& confusion) {
  for (size_t d = 0; d < confusion.size(); ++d) {
    for (size_t seen = 0; seen < confusion.size(); ++seen) {
      // Below one in a hundred it may be chance.
      if (d == seen || confusion[d][seen] < kTestImages / 100) continue;
      std::printf("  %d of %d times a %zu is taken for a %zu\n", confusion[d][seen], kTestImages, d,
                  seen);
    }
  }
}

void MeasureAll(const Arguments& arguments, const Tensors& model) {
  std::printf("accuracy in %%, by digit 0 to 9, %d images each\n", kTestImages);
  using enum Framing;
  Report("known skeletons, centred", Measure(arguments, model, {false, kCentred}));
  Report("known skeletons, canvas", Measure(arguments, model, {false, kCanvas}));
  Report("held-out skeletons, centred", Measure(arguments, model, {true, kCentred}));
  const Confusion worst = Measure(arguments, model, {true, kCanvas});
  Report("held-out skeletons, canvas", worst);
  ReportMistakes(worst);
}

void Check(const Tensors& model, const std::string& path) {
  const std::vector<float> images = ReadImages(path);
  for (size_t start = 0; start < images.size(); start += kPixels) {
    const std::vector<double> p = Classify(model, images.data() + start);
    std::printf("%s: %d with probability %.4f\n", path.c_str(), Best(p),
                p[static_cast<size_t>(Best(p))]);
  }
}

bool ParseOption(const std::string& name, const char* value, Arguments& out) {
  if (name == "--check") {
    out.checks.push_back(value);
    return true;
  }
  char* end = nullptr;
  const long number = std::strtol(value, &end, 10);
  if (*end != '\0' || number < 1 || number > 1000000) return false;
  if (name == "--steps") out.steps = static_cast<int>(number);
  if (name == "--seed") out.seed = static_cast<uint64_t>(number);
  if (name == "--threads") out.threads = static_cast<int>(number);
  return name == "--steps" || name == "--seed" || name == "--threads";
}

bool ParseArguments(int count, char** values, Arguments& out) {
  if (count < 2 || values[1][0] == '-') return false;
  out.folder = values[1];
  for (int i = 2; i < count; i += 2) {
    if (i + 1 >= count || !ParseOption(values[i], values[i + 1], out)) {
      std::fprintf(stderr, "digits: cannot use option %s\n", values[i]);
      return false;
    }
  }
  return true;
}

}  // namespace

int Main(int count, char** values) {
  Arguments arguments;
  if (!ParseArguments(count, values, arguments)) {
    std::fprintf(stderr,
                 "usage: digits FOLDER [--steps N] [--seed S] [--threads T] [--check FILE.npy]...\n"
                 "       numbers are 1 to 1000000\n");
    return 2;
  }
  for (const std::string& path : arguments.checks) {
    if (ReadImages(path).empty()) return 1;  // said before the minutes of training, not after
  }
  const Tensors model = Train(arguments);
  if (!WriteModelFolder(arguments.folder, model)) return 1;
  MeasureAll(arguments, model);
  for (const std::string& path : arguments.checks) Check(model, path);
  return 0;
}

}  // namespace tern::digits

int main(int count, char** values) { return tern::digits::Main(count, values); }
