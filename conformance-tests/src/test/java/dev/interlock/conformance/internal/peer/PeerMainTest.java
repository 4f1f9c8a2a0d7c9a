// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.conformance.child.PeerJvm;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PeerMainTest {
    /** Has a lock whose server is gone, and counts how often it is asked for. */
    public static final class Absent extends LockStub {
        private final AtomicInteger attempts = new AtomicInteger();

        @Override
        Object answer(String method) {
            throw new LockBackendException(
                    LockBackendException.Reason.UNREACHABLE, "attempt " + attempts.incrementAndGet());
        }
    }

    @Test
    void aProcessThatOnlyLoadsClassesAsksOnceForAServerThatIsGone() throws Exception {
        Process process = PeerJvm.start(PeerMain.class.getName(), Absent.class.getName(), PeerMain.AT_ONCE)
                .process();
        try (OutputStream requests = process.getOutputStream();
                BufferedReader answers =
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String input = PeerMain.properties() + "\n"
                    + ConfigText.write(LockConfig.builder().build()) + "\n";
            requests.write(input.getBytes(StandardCharsets.UTF_8));
            requests.flush();
            assertThat(answers.readLine()).isEqualTo(PeerMain.FAILED + "attempt 1");
            assertThat(process.waitFor()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }
}
