// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Locale;

/** What may hold between a lock of ours and one of another make: a column of the table on the page about wires. */
enum Property {
    EXCLUSION,
    EXPIRY,
    RELEASE,
    EXTENSION,
    WAKE_UP;

    /** The properties that a test shows. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @interface Shown {
        Property[] value();
    }

    String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
