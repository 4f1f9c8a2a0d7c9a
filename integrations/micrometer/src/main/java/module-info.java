// SPDX-License-Identifier: Apache-2.0
/** Metrics and observations of locks, by Micrometer. */
module dev.interlock.micrometer {
    requires transitive dev.interlock;
    requires transitive micrometer.commons;
    requires transitive micrometer.core;
    requires transitive micrometer.observation;
    requires static org.jspecify;

    exports dev.interlock.micrometer;
    exports dev.interlock.micrometer.servers;
}
