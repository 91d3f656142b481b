// The ways to bring pages before threads fault on them; each stands by itself.
#pragma once

#include "dsm/ahead/lent_pages.hpp"
#include "dsm/ahead/prefetch_choice.hpp"
#include "dsm/ahead/pusher.hpp"
#include "dsm/ahead/stream_prefetcher.hpp"
#include "dsm/ahead/visit_prefetcher.hpp"

namespace hetmp::dsm {

struct Prefetcher {
  explicit Prefetcher(const AddressPlan& plan) : streams(plan), visits(plan), pusher(plan), lent(plan) {}

  /// Before the first fault. Who wants no pushes makes none.
  void enable(const PrefetchChoice& choice) {
    streams.enable(choice.streams);
    visits.enable(choice.visits);
    lent.enable(choice.streams || choice.visits);
  }

  StreamPrefetcher streams;
  VisitPrefetcher visits;
  Pusher pusher;
  LentPages lent;
};

} // namespace hetmp::dsm
