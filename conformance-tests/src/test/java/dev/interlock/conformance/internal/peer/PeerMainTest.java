// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.conformance.child.PeerJvm;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PeerMainTest {
    /** Has locks whose server is gone, and counts how often it is asked for one. */
    public static final class Absent implements LockStrategyProvider {
        private final AtomicInteger attempts = new AtomicInteger();

        @Override
        public String name() {
            return "absent";
        }

        @Override
        public StrategyProfile profile() {
            return new StrategyProfile("is not there", Set.of(), Set.of());
        }

        @Override
        public List<StrategyOption> options() {
            return List.of();
        }

        @Override
        public DistributedLockFactory newFactory(LockConfig config) {
            DistributedLock lock = proxy(DistributedLock.class, (self, method, arguments) -> {
                throw new LockBackendException(
                        LockBackendException.Reason.UNREACHABLE, "attempt " + attempts.incrementAndGet());
            });
            return proxy(
                    DistributedLockFactory.class,
                    (self, method, arguments) -> method.getName().equals("getLock") ? lock : null);
        }

        private static <T> T proxy(Class<T> type, InvocationHandler handler) {
            return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
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
