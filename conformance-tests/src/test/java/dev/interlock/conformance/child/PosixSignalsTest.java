// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class PosixSignalsTest {
    private static final int TIMES = 50;

    /** More than the processors of most machines, so that some threads wait for one. */
    private static final int THREADS = 16;

    private static final int LOOKS = 1000;

    /** The main class of a child JVM whose threads write without end. */
    static final class Writers {
        private Writers() {}

        public static void main(String[] args) {
            for (int i = 0; i < THREADS; i++) {
                new Thread(() -> {
                            while (true) {
                                System.out.write('.');
                                System.out.flush();
                            }
                        })
                        .start();
            }
        }
    }

    @Test
    void noThreadOfAStoppedProcessRuns() throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/proc/self/task")), "the threads of processes are not shown here");
        Process child = PeerJvm.start(Writers.class.getName()).process();
        try (InputStream written = child.getInputStream()) {
            for (int i = 0; i < TIMES; i++) {
                assertThat(written.read()).isEqualTo('.');
                PosixSignals.stop(child.pid());
                drain(written);
                for (int look = 0; look < LOOKS; look++) {
                    assertThat(written.available()).isZero();
                }
                PosixSignals.goOn(child.pid());
            }
        } finally {
            child.destroyForcibly().onExit().join();
        }
    }

    private static void drain(InputStream written) throws Exception {
        while (written.available() > 0) {
            written.skipNBytes(written.available());
        }
    }
}
