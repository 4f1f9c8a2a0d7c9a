// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A property between a lock of ours and one of another make: a column of the table on the page about wires. */
enum Property {
    EXCLUSION("exclusion"),
    EXPIRY("expiry"),
    RELEASE("release"),
    EXTENSION("extension"),
    WAKE_UP("wake-up"),
    MIXED_LOAD("mixed load");

    final String title;

    Property(String title) {
        this.title = title;
    }

    /** The properties that a test shows. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @interface Shown {
        Property[] value();
    }
}
