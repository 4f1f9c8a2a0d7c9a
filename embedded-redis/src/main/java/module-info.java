// SPDX-License-Identifier: Apache-2.0
/** Real Redis servers, and faults between them and their clients, for tests and for the comparison. */
module dev.interlock.embedded {
    requires embedded.redis;
    requires static transitive org.jspecify;

    exports dev.interlock.embedded;
}
