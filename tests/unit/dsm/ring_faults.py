#!/usr/bin/env python3
"""Writes a header with copies of dsm/transport/rdma/ring_window.hpp, each in a namespace of its own and each but the first, `right`, with a
fault: a mistake that would be easily made.

    ring_faults.py RING_WINDOW_HPP HEADER

RING_FAULTS(row) of that header is row(NAME, LETTERS) for each fault. LETTERS: what it may violate first (ring_world.hpp). The copies have no
assertions, at which some faults would end, and counts of messages that wrap early.

A fault is a text of the source, which must be there once, and what stands in its place. Where the source has changed, a line here has to
change with it.
"""
import re
import sys
from pathlib import Path

FAULTS = {
    # The sender's room.
    "room_without_what_is_skipped": ("OS", "skipped(wanted) + wanted > ring_bytes_ - used()", "wanted > ring_bytes_ - used()"),
    "message_across_the_end": ("O", "return wanted > left ? left : 0;", "return 0;"),
    "skipped_though_it_fits": ("F", "return wanted > left ? left : 0;", "return wanted >= left ? left : 0;"),
    "skipped_is_never_given_back": (
        "D",
        "head_ += skipped(wanted) + wanted;", "ever_skipped_ += skipped(wanted), head_ += skipped(wanted) + wanted;",
        "return size_t(head_ - tail());", "return std::min(ring_bytes_, size_t(head_ - tail()) + ever_skipped_);",
        "uint64_t head_ = 0;", "size_t ever_skipped_ = 0; uint64_t head_ = 0;"),
    "end_without_its_message": ("D", "head_ += skipped(wanted) + wanted;", "const uint64_t before = head_; head_ += skipped(wanted) + wanted;",
                                "ends_[messages_++ % most_messages_] = head_;", "ends_[messages_++ % most_messages_] = before;"),
    "end_of_the_message_after": ("OS", "ends_[(freed() - 1) % most_messages_]", "ends_[freed() % most_messages_]"),
    "one_message_too_many": ("OSR", "messages_ - freed() >= most_messages_", "messages_ - freed() > most_messages_"),
    "as_many_messages_as_fit": ("OSR", "messages_ - freed() >= most_messages_ ||", ""),

    # Credit.
    "credit_counts_twice": ("OF", "taken_ += more;", "taken_ += 2 * more;"),
    "credit_is_a_difference": ("OFD", "const uint32_t more = (taken - uint32_t(taken_)) & credit_mask;", "const uint32_t more = taken;"),
    "credit_is_not_waited_for": ("OR", "std::min(taken_, completed_messages_)", "completed_messages_"),
    "credit_of_what_was_not_sent": ("F", "more > messages_ - taken_", "more > credit_mask / 2"),
    "credit_does_not_wrap": ("F", "(taken - uint32_t(taken_)) & credit_mask;", "taken - uint32_t(taken_);"),

    # Completions.
    "completion_is_not_waited_for": ("S", "std::min(taken_, completed_messages_)", "taken_"),
    "completion_is_of_all_posts": ("S", "completed_messages_ = messages_by_[posts % messages_by_.size()];", "completed_messages_ = messages_;"),
    "completion_counts_posts_as_messages": ("S", "completed_messages_ = messages_by_[posts % messages_by_.size()];", "completed_messages_ = posts;"),
    "completion_leaves_the_queue_full": ("DF", "completed_posts_ = posts;", ""),
    "completion_that_cannot_be": ("F", "posts > posts_ || ", ""),
    "completion_of_before": ("F", " || posts < completed_posts_", ""),

    # The queue, and of what the device tells.
    "queue_is_never_full": ("Q", "return posts_ - completed_posts_ < messages_by_.size();", "return true;"),
    "queue_of_one_more": ("Q", "posts_ - completed_posts_ < messages_by_.size();", "posts_ - completed_posts_ <= messages_by_.size();"),
    "reports_wait_for_credit": ("D", "posts_ - completed_posts_ < messages_by_.size();",
                                "posts_ - completed_posts_ < messages_by_.size() && messages_ - freed() < most_messages_;"),
    "device_tells_of_nothing": ("D", "    tell_of_next();\n    return true;", "    return false;"),
    "device_tells_of_every_16th": ("D", "std::min<uint64_t>(most_silent, most_messages_ / report_share)", "most_silent"),
    "device_tells_by_posts_only": ("D", "unreported_bytes_ + bytes_of_next < ring_bytes_ / report_share", "true"),
    "device_tells_by_bytes_only": ("D", "posts_ + 1 - told_posts_ < std::min<uint64_t>(most_silent, most_messages_ / report_share)", "true"),
    "device_tells_at_the_end_once": ("RE", "tells_of_all_ = true;", ""),

    # The receiver.
    "any_place_is_right": ("F", " || offset != expected", ""),
    "any_place_behind_is_right": ("F", "offset != expected", "offset < expected"),
    "no_length_is_wrong": ("F", "wanted == 0 || wanted > ring_bytes_ || ", ""),
    "begins_anew_though_it_fits": ("F", "expected = wanted > left ? 0 : position_", "expected = wanted >= left ? 0 : position_"),
    "told_before_it_is_released": ("O", "in_hand_bytes_ = wanted + (wanted > left ? left : 0);",
                                   "in_hand_bytes_ = wanted + (wanted > left ? left : 0); ++taken_;", "    ++taken_;\n    ++untold_;", "    ++untold_;"),
    "report_is_never_due": ("D", "return untold_ >= most_messages_ / report_share || ", "return false && "),
    "report_is_due_when_all_are_untold": ("D", "untold_ >= most_messages_ / report_share", "untold_ > most_messages_",
                                          "untold_bytes_ >= ring_bytes_ / report_share", "untold_bytes_ >= ring_bytes_"),
    "report_by_messages_only": ("D", " || (untold_ != 0 && untold_bytes_ >= ring_bytes_ / report_share)", ""),
    "report_by_bytes_only": ("D", "untold_ >= most_messages_ / report_share || ", ""),
    "report_of_each_message": ("R", "return untold_ >= most_messages_ / report_share", "return untold_ != 0"),
    "report_again_and_again": ("RQ", "    untold_ = 0;\n", ""),
}
ALL = (re.compile(r"^ *HETMP_CHECK\(.*\n", re.M), re.compile(r"^#pragma once\n", re.M), re.compile(r"^#include .*\n", re.M))


def changed(text, changes, name):
    for before, after in zip(changes[::2], changes[1::2]):
        if text.count(before) != 1:
            sys.exit(f"ring_faults: {name}: ring_window.hpp has {text.count(before)} times\n{before}")
        text = text.replace(before, after)
    return text


def main():
    source, header = map(Path, sys.argv[1:])
    text = changed(source.read_text(), ("0x7fff'ffff", "0x7f"), "right")
    for pattern in ALL:
        text = pattern.sub("", text)
    copies = {"right": ()} | {name: changes for name, (_, *changes) in FAULTS.items()}
    rows = " \\\n".join(f'  row({name}, "{letters}")' for name, (letters, *_) in FAULTS.items())
    parts = ["// Written by ring_faults.py.\n#pragma once\n\n#include <algorithm>\n#include <cstddef>\n#include <cstdint>\n#include <optional>\n"
             "#include <vector>\n"]
    for name, changes in copies.items():
        parts.append(changed(changed(text, changes, name), ("namespace hetmp::dsm {", f"namespace hetmp::dsm::ring_faults::{name} {{"), name))
    parts.append(f"#define RING_FAULTS(row) \\\n{rows}\n")
    header.parent.mkdir(parents=True, exist_ok=True)
    header.write_text("\n".join(parts))


if __name__ == "__main__":
    main()
