// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockConfig;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PeerProcessTest {
    private static final Duration LIMIT = Peer.LIMIT;

    /** Has a lock that can be acquired; the question whether it is held is never answered. */
    public static final class Silent extends LockStub {
        @Override
        Object answer(String method) {
            while (method.equals("isHeldByCurrentThread")) {
                LockSupport.park();
            }
            return method.equals("tryLock") ? true : null;
        }
    }

    private final PeerProcess first = client();
    private PeerProcess next = first;

    private static PeerProcess client() {
        PeerProcess process = PeerProcess.take(Silent.class.getName(), PeerMain.properties());
        process.ask("begin", ConfigText.write(LockConfig.builder().build()), LIMIT);
        return process;
    }

    @AfterEach
    void killBoth() {
        first.kill();
        next.kill();
    }

    @Test
    void aProcessServesOneClientAfterTheOther() {
        assertThat(first.giveBack()).isTrue();
        next = client();
        assertThat(next).isSameAs(first);
        assertThat(next.ask("lock", "tryLock name", LIMIT)).isEqualTo("true");
    }

    @Test
    void aProcessServesOneClientAtATime() {
        next = client();
        assertThat(next.pid()).isNotEqualTo(first.pid());
    }

    @Test
    void aProcessThatEndsWithoutAClientIsNotUsedAgain() {
        assertThat(first.giveBack()).isTrue();
        first.kill();
        next = client();
        assertThat(next.ask("lock", "tryLock name", LIMIT)).isEqualTo("true");
    }

    @Test
    void aProcessThatWasKilledIsNotGivenBack() {
        first.kill();
        assertThat(first.giveBack()).isFalse();
    }

    @Test
    void aProcessThatOwesAnAnswerIsNotGivenBack() {
        CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> first.ask("look", "isHeld name", LIMIT));
        while (!first.owesAnAnswer()) {
            Thread.onSpinWait();
        }
        assertThat(first.giveBack()).isFalse();
        first.kill();
        assertThatThrownBy(answer::join).hasCauseInstanceOf(AssertionError.class);
    }
}
