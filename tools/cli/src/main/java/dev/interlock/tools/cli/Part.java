// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A part of the comparison. */
enum Part {
    /** What the strategies promise and assume, which is always there. */
    PROFILES,
    /** Which rules of the contract they keep. */
    CONFORMANCE,
    /** What they do when things go wrong. */
    FAULTS,
    /** How fast they are, and whether a counter that processes share stays right. */
    SPEED;

    /** How the user names it. */
    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<Part> of(String id) {
        return Arrays.stream(values()).filter(part -> part.id().equals(id)).findFirst();
    }

    static List<String> ids() {
        return Arrays.stream(values()).map(Part::id).toList();
    }
}
