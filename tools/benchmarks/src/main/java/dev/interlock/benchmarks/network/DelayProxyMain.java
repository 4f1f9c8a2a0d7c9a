// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.network;

import dev.interlock.testservers.ParentJvm;
import java.io.IOException;
import java.time.Duration;

/** The program of a {@link DelayProxyProcess}: carries out an order for each line, and answers each with a line. */
final class DelayProxyMain {
    static final String DELAY = "delay";
    static final String OPEN = "open";
    static final String CLOSE = "close";
    static final String DONE = "done";

    private DelayProxyMain() {}

    /**
     * Runs the proxy until the parent process ends.
     *
     * @param args none
     * @throws IOException if the parent process has ended
     */
    public static void main(String[] args) throws IOException {
        // A proxy that has lost a thread would look like a network that is down.
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        });
        ParentJvm parent = ParentJvm.ofThisProcess();
        try (DelayProxy proxy = new DelayProxy()) {
            while (true) {
                parent.say(DONE + " " + carryOut(proxy, parent.nextLine().split(" ", -1)));
            }
        }
    }

    private static long carryOut(DelayProxy proxy, String[] order) throws IOException {
        long argument = Long.parseLong(order[1]);
        switch (order[0]) {
            case DELAY -> proxy.delay(Duration.ofNanos(argument));
            case OPEN -> {
                return proxy.open((int) argument);
            }
            case CLOSE -> proxy.close((int) argument);
            default -> throw new IllegalArgumentException("unknown order " + order[0]);
        }
        return 0;
    }
}
