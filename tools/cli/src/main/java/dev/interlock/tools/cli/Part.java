// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A part of the comparison. */
enum Part {
    /** The promises and assumptions of the strategies. Always included. */
    PROFILES,
    /** The rules of the contract that they keep. */
    CONFORMANCE,
    /** Their behaviour under faults. */
    FAULTS,
    /** Their speed, and whether a counter shared by processes stays correct. */
    SPEED;

    /** Returns its name on the command line. */
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
