// SPDX-License-Identifier: Apache-2.0
// Distortion happens on the skeleton, before inking: a control point moves, the whole drawing bends
// in a slow wave (elastic distortion), then slant, rotation and scale. Only then is it inked by
// distance to the curve, blurred and given noise.
#include "tools/digits/draw.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tools/digits/glyphs.h"

namespace tern::digits {
namespace {

struct Ink {
  float x, y;
  float radius;
  bool pen_down;  // joined to the point before
};

// Slow waves over the drawing: neighbouring points move together, so strokes stay joined.
struct Wave {
  float kx, ky, phase, ax, ay;
};

std::vector<Wave> MakeWaves(Random& random) {
  std::vector<Wave> waves(3);
  const float amplitude = random.Uniform(0.0f, 5.0f);
  for (Wave& w : waves) {
    w.kx = random.Uniform(-0.07f, 0.07f);
    w.ky = random.Uniform(-0.07f, 0.07f);
    w.phase = random.Uniform(0, 6.2832f);
    w.ax = random.Uniform(-amplitude, amplitude);
    w.ay = random.Uniform(-amplitude, amplitude);
  }
  return waves;
}

void JitterStrokes(std::vector<Stroke>& strokes, Random& random) {
  const float sigma = random.Uniform(0.5f, 5.0f);
  for (Stroke& stroke : strokes) {
    // A stroke moves as a whole, too: nobody sets the pen down twice in the same place.
    const float dx = random.Normal(1.5f), dy = random.Normal(1.5f);
    for (Point& p : stroke) {
      p.x += dx + random.Normal(sigma);
      p.y += dy + random.Normal(sigma);
    }
    // The pen comes down early or late: the first and the last stretch change their length.
    const size_t n = stroke.size();
    const float head = random.Uniform(-0.15f, 0.15f), tail = random.Uniform(-0.15f, 0.15f);
    stroke[0].x += head * (stroke[0].x - stroke[1].x);
    stroke[0].y += head * (stroke[0].y - stroke[1].y);
    stroke[n - 1].x += tail * (stroke[n - 1].x - stroke[n - 2].x);
    stroke[n - 1].y += tail * (stroke[n - 1].y - stroke[n - 2].y);
  }
}

// Catmull-Rom through the points; at a corner and at the ends the neighbour is the point itself.
void AppendCurve(const Stroke& s, std::vector<Ink>& out) {
  constexpr int kSteps = 6;
  out.push_back({s[0].x, s[0].y, 1, false});
  for (size_t i = 0; i + 1 < s.size(); ++i) {
    const Point &b = s[i], &c = s[i + 1];
    const Point& a = i == 0 || b.corner ? b : s[i - 1];
    const Point& d = i + 2 >= s.size() || c.corner ? c : s[i + 2];
    for (int step = 1; step <= kSteps; ++step) {
      const float t = static_cast<float>(step) / kSteps;
      const float t2 = t * t, t3 = t2 * t;
      const float wa = -0.5f * t3 + t2 - 0.5f * t, wb = 1.5f * t3 - 2.5f * t2 + 1;
      const float wc = -1.5f * t3 + 2 * t2 + 0.5f * t, wd = 0.5f * t3 - 0.5f * t2;
      out.push_back({wa * a.x + wb * b.x + wc * c.x + wd * d.x,
                     wa * a.y + wb * b.y + wc * c.y + wd * d.y, 1, true});
    }
  }
}

void Distort(std::vector<Ink>& ink, Random& random) {
  const std::vector<Wave> waves = MakeWaves(random);
  const float angle = random.Normal(0.14f);
  const float slant = random.Uniform(-0.25f, 0.6f);
  const float width = random.Uniform(0.65f, 1.4f);
  const float co = std::cos(angle), si = std::sin(angle);
  for (Ink& p : ink) {
    float x = p.x, y = p.y;
    for (const Wave& w : waves) {
      const float s = std::sin(w.kx * p.x + w.ky * p.y + w.phase);
      x += w.ax * s;
      y += w.ay * s;
    }
    // About the middle of the skeletons, which are 100 units high.
    x = (x - 30) * width - slant * (y - 50);
    y -= 50;
    p.x = co * x - si * y;
    p.y = si * x + co * y;
  }
}

struct Box {
  float x0 = 1e9f, y0 = 1e9f, x1 = -1e9f, y1 = -1e9f;
};

Box BoundsOf(const std::vector<Ink>& ink) {
  Box b;
  for (const Ink& p : ink) {
    b.x0 = std::min(b.x0, p.x);
    b.x1 = std::max(b.x1, p.x);
    b.y0 = std::min(b.y0, p.y);
    b.y1 = std::max(b.y1, p.y);
  }
  return b;
}

// Middle of the ink, weighted by the length of each piece.
void CentreOfMass(const std::vector<Ink>& ink, float& mx, float& my) {
  float total = 1e-6f, sx = 0, sy = 0;
  for (size_t i = 1; i < ink.size(); ++i) {
    if (!ink[i].pen_down) continue;
    const float length = std::hypot(ink[i].x - ink[i - 1].x, ink[i].y - ink[i - 1].y);
    total += length;
    sx += length * 0.5f * (ink[i].x + ink[i - 1].x);
    sy += length * 0.5f * (ink[i].y + ink[i - 1].y);
  }
  mx = sx / total;
  my = sy / total;
}

// Scales to pixels and places the drawing; `pen` is half the pen's width in pixels.
void Frame(std::vector<Ink>& ink, Framing framing, float pen, Random& random) {
  const bool canvas =
      framing == Framing::kCanvas || (framing == Framing::kMixed && random.Chance(0.4f));
  const Box b = BoundsOf(ink);
  const float extent = std::max(b.x1 - b.x0, b.y1 - b.y0);
  // Centred images are as MNIST's are, about 20 pixels large; on a canvas any size is drawn.
  const float size = canvas ? random.Uniform(12, 26) : random.Uniform(18.5f, 20.5f);
  const float radius = std::min(pen, 0.1f * size);  // a fat pen would fill small loops
  const float scale = std::max(size - 2 * radius, 6.0f) / extent;
  float mx = 0.5f * (b.x0 + b.x1), my = 0.5f * (b.y0 + b.y1);
  if (!canvas) CentreOfMass(ink, mx, my);
  const float slack = canvas ? std::min(0.5f * (28 - size), 5.0f) : 0.8f;
  const float cx = 13.5f + random.Uniform(-slack, slack);
  const float cy = 13.5f + random.Uniform(-slack, slack);
  const float wave = random.Uniform(0, 0.3f), pace = random.Uniform(0.05f, 0.3f);
  const float phase = random.Uniform(0, 6.2832f);
  for (size_t i = 0; i < ink.size(); ++i) {
    ink[i].x = (ink[i].x - mx) * scale + cx;
    ink[i].y = (ink[i].y - my) * scale + cy;
    ink[i].radius = radius * (1 + wave * std::sin(pace * static_cast<float>(i) + phase));
  }
}

// Coverage of the pixels near one piece of stroke: 1 inside, falling over `edge` pixels.
void InkPiece(const Ink& a, const Ink& b, float edge, float* image) {
  const float reach = std::max(a.radius, b.radius) + edge;
  const int x0 = std::max(0, static_cast<int>(std::floor(std::min(a.x, b.x) - reach)));
  const int x1 = std::min(kSide - 1, static_cast<int>(std::ceil(std::max(a.x, b.x) + reach)));
  const int y0 = std::max(0, static_cast<int>(std::floor(std::min(a.y, b.y) - reach)));
  const int y1 = std::min(kSide - 1, static_cast<int>(std::ceil(std::max(a.y, b.y) + reach)));
  const float ux = b.x - a.x, uy = b.y - a.y;
  const float inverse = 1.0f / std::max(ux * ux + uy * uy, 1e-6f);
  for (int y = y0; y <= y1; ++y) {
    for (int x = x0; x <= x1; ++x) {
      const float px = static_cast<float>(x) - a.x, py = static_cast<float>(y) - a.y;
      const float t = std::clamp((px * ux + py * uy) * inverse, 0.0f, 1.0f);
      const float dx = px - t * ux, dy = py - t * uy;
      const float r = a.radius + t * (b.radius - a.radius);
      const float cover = 0.5f + (r - std::sqrt(dx * dx + dy * dy)) / edge;
      float& pixel = image[y * kSide + x];
      // Ink over ink is no darker.
      pixel = std::max(pixel, std::clamp(cover, 0.0f, 1.0f));
    }
  }
}

void BlurRows(const float* in, int step, int stride, float side, float* out) {
  for (int row = 0; row < kSide; ++row) {
    for (int i = 0; i < kSide; ++i) {
      const float* p = in + row * stride + i * step;
      const float left = i > 0 ? p[-step] : 0.0f, right = i + 1 < kSide ? p[step] : 0.0f;
      out[row * stride + i * step] = (1 - 2 * side) * p[0] + side * (left + right);
    }
  }
}

void Finish(float* image, Random& random) {
  if (random.Chance(0.5f)) {
    float rows[kPixels];
    const float side = random.Uniform(0, 0.28f);
    BlurRows(image, 1, kSide, side, rows);
    BlurRows(rows, kSide, 1, side, image);
  }
  const float noise = random.Chance(0.3f) ? random.Uniform(0, 0.08f) : 0.0f;
  const float gain = random.Uniform(0.7f, 1.6f);  // above 1: saturated ink, as scanners make it
  for (int i = 0; i < kPixels; ++i) {
    float v = std::min(image[i] * gain, 1.0f);
    if (noise > 0) v = std::clamp(v + random.Normal(noise), 0.0f, 1.0f);
    // Whole steps of grey, as images have them.
    image[i] = std::floor(v * 255.0f + 0.5f);
  }
}

}  // namespace

uint64_t Random::Next() {
  uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

float Random::Uniform(float lo, float hi) {
  return lo + (hi - lo) * (static_cast<float>(Next() >> 40) * 0x1p-24f);
}

float Random::Normal(float sigma) {
  const float sum = Uniform(-1, 1) + Uniform(-1, 1) + Uniform(-1, 1);
  return sigma * sum;  // three uniforms of variance 1/3
}

void DrawDigit(int digit, const DrawOptions& options, Random& random, float* image) {
  const auto choices = SkeletonsOf(digit, options.held_out);
  const int pick = random.Below(static_cast<int>(choices.size()));
  std::vector<Stroke> strokes = ParseStrokes(choices[static_cast<size_t>(pick)]->strokes);
  JitterStrokes(strokes, random);
  std::vector<Ink> ink;
  for (const Stroke& stroke : strokes) AppendCurve(stroke, ink);
  Distort(ink, random);
  const float radius = random.Uniform(0.5f, 1.9f);
  Frame(ink, options.framing, radius, random);
  std::fill(image, image + kPixels, 0.0f);
  const float edge = random.Uniform(1.0f, 1.8f);
  for (size_t i = 1; i < ink.size(); ++i) {
    if (ink[i].pen_down) InkPiece(ink[i - 1], ink[i], edge, image);
  }
  Finish(image, random);
}

}  // namespace tern::digits
