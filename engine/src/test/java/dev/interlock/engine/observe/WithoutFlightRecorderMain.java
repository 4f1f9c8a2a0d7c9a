// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.observe;

import java.util.List;

/** Run by a test in a runtime that lacks the module {@code jdk.jfr}. */
final class WithoutFlightRecorderMain {
    private WithoutFlightRecorderMain() {}

    public static void main(String[] args) throws InterruptedException {
        Heard heard = new Heard();
        Host host = new TestHost().host();
        Observer observer = Observer.of(List.of(heard), host, "memory");
        observer.requested("a");
        System.out.println("jdk.jfr " + ModuleLayer.boot().findModule("jdk.jfr").isPresent()
                + ", on without listener "
                + Observer.of(List.of(), host, "memory").isOn() + ", heard "
                + heard.next(1).get(0));
    }
}
