// SPDX-License-Identifier: Apache-2.0
/** The lock registry of Spring Integration over the locks of any strategy. */
module dev.interlock.springintegration {
    requires transitive dev.interlock;
    requires transitive spring.integration.core;
    requires transitive spring.tx;
    requires spring.context;
    requires static org.jspecify;

    exports dev.interlock.springintegration;
}
