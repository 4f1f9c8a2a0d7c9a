// SPDX-License-Identifier: Apache-2.0
/** Lock semantics, written once: threads, queues, interrupts, deadlines, renewal and loss over a lease protocol. */
module dev.interlock.engine {
    requires transitive dev.interlock;
    requires static transitive org.jspecify;

    exports dev.interlock.engine;
}
