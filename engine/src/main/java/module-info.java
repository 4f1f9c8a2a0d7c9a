// SPDX-License-Identifier: Apache-2.0
/** Lock semantics, written once: threads, queues, interrupts, deadlines, renewal and loss over a lease protocol. */
module dev.interlock.engine {
    requires transitive dev.interlock;
    requires static transitive org.jspecify;
    // For events of Flight Recorder, where the runtime has it.
    requires static jdk.jfr;

    exports dev.interlock.engine;
    exports dev.interlock.engine.environment;
    exports dev.interlock.engine.protocol;
}
