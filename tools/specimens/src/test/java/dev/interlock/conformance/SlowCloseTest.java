// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.conformance.internal.actor.Waits;
import dev.interlock.conformance.internal.rules.Stage;
import dev.interlock.conformance.memory.ForwardingProtocol;
import dev.interlock.conformance.memory.MemoryHarness;
import dev.interlock.conformance.memory.MemoryServer;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.specimens.ForwardingFactory;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How the rules about {@code close()} judge a slow one that leaves locks held. */
@Tag("deep")
class SlowCloseTest {
    private static final Set<String> RULES = Set.of("11.4", "11.9", "11.12", "11.16", "11.20");

    /** A machine on which a number of factories stand still in {@code close()}, before anything is released. */
    private static final class StandsStill extends WrongLock {
        private final AtomicInteger times;
        private volatile boolean closing;

        StandsStill(int times) {
            super("closesLate");
            this.times = new AtomicInteger(times);
        }

        @Override
        protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
            return new ForwardingProtocol(super.protocol(server, config)) {
                @Override
                public Release release(Claim claim) {
                    return closing ? new Release.Freed(true) : super.release(claim);
                }
            };
        }

        @Override
        protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
            Duration patience = config.commandTimeout().multipliedBy(2);
            return new ForwardingFactory(correct) {
                @Override
                public void close() {
                    closing = times.getAndDecrement() > 0;
                    if (closing) {
                        Waits.pass(patience);
                    }
                    super.close();
                    closing = false;
                }
            };
        }
    }

    @Test
    void aRuleIsRunAgainIfCloseRanOutOfItsTime() {
        assertThat(KitRun.failures(() -> new MemoryHarness(new StandsStill(1)), RULES.size(), RULES))
                .isEmpty();
    }

    @Test
    void aCloseThatTakesLongEachTimeAndLeavesLocksHeldIsWrong() {
        assertThat(KitRun.failures(() -> new MemoryHarness(new StandsStill(Stage.TRIES)), RULES.size(), RULES))
                .containsOnlyKeys(RULES);
    }
}
