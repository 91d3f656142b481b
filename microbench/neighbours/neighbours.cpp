// The nearest neighbours of each of many points, as a program in C++ finds them that nobody has tuned: points are
// vectors of their own, and each query collects its distances in a vector that grows.
//
// Usage: neighbours [class]     S: 1,000 points, W: 7,000, A: 16,000
#include "../common/benchmark.h"
#include "../common/npb_random.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace {

constexpr int dimensions = 32, wanted = 5;

using Point = std::vector<float>;
using Neighbour = std::pair<float, int>; // squared distance, and which point

float distance(const Point& a, const Point& b) {
  float sum = 0;
  for (int i = 0; i < dimensions; ++i)
    sum += (a[size_t(i)] - b[size_t(i)]) * (a[size_t(i)] - b[size_t(i)]);
  return sum;
}

std::vector<Neighbour> nearest(const std::vector<Point>& points, int query) {
  std::vector<Neighbour> found;
  for (int i = 0; i < int(points.size()); ++i)
    if (i != query)
      found.emplace_back(distance(points[size_t(query)], points[size_t(i)]), i);
  std::partial_sort(found.begin(), found.begin() + wanted, found.end());
  found.resize(wanted);
  return found;
}

/// By another way: none of all points is nearer than the farthest of those found, but those.
bool are_nearest(const std::vector<Point>& points, int query, const std::vector<Neighbour>& found) {
  int nearer = 0;
  for (int i = 0; i < int(points.size()); ++i)
    nearer += i != query && distance(points[size_t(query)], points[size_t(i)]) < found.back().first;
  return nearer == wanted - 1 && std::is_sorted(found.begin(), found.end());
}

} // namespace

int main(int argc, char** argv) {
  const int counts[] = {1000, 7000, 16000};
  const int place = benchmark_class_index(argc, argv, "SWA");
  std::vector<Point> points(static_cast<size_t>(counts[place]), Point(dimensions));
  uint64_t random = 271828183;
  for (Point& point : points)
    for (float& coordinate : point)
      coordinate = float(npb_random(&random));
  benchmark_report_start("neighbours", "SWA"[place], benchmark_threads());
  std::vector<std::vector<Neighbour>> found(points.size());
  const double start = omp_get_wtime();
#pragma omp parallel for
  for (int query = 0; query < int(points.size()); ++query)
    found[size_t(query)] = nearest(points, query);
  const double seconds = omp_get_wtime() - start;
  bool verified = true;
  uint64_t sum = 0;
  for (int query = 0; query < int(points.size()); ++query) {
    verified = verified && (query % 50 != 0 || are_nearest(points, query, found[size_t(query)]));
    for (const Neighbour& neighbour : found[size_t(query)])
      sum = sum * 31 + uint64_t(neighbour.second);
  }
  printf("checksum: %llu\n", static_cast<unsigned long long>(sum));
  return benchmark_report_end(seconds, verified);
}
