// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.interlock.LockConfig;
import dev.interlock.conformance.child.PosixSignals;
import dev.interlock.spi.LockStrategyProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PeerReuseTest {
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

    /** Fails with a text of two lines. */
    public static final class Failing extends LockStub {
        @Override
        Object answer(String method) {
            if (method.equals("tryLock")) {
                throw new IllegalStateException("one line\nand another");
            }
            return null;
        }
    }

    private final List<Peer> peers = new ArrayList<>();

    private Peer begin(LockStrategyProvider provider, boolean fresh) {
        LockConfig config = LockConfig.builder().build();
        Peer peer = fresh ? Peer.startFresh(provider, config) : Peer.start(provider, config);
        peers.add(peer);
        return peer;
    }

    /** Begins a client that may get a process which others have used. */
    private Peer next() {
        return begin(new Silent(), false);
    }

    @BeforeEach
    @AfterEach
    void killIdleProcesses() {
        peers.forEach(Peer::close);
        Stream.generate(() -> Peer.start(new Silent(), LockConfig.builder().build()))
                .limit(2)
                .toList()
                .forEach(Peer::kill);
    }

    @Test
    void aProcessServesOneClientAfterTheOther() {
        Peer first = next();
        first.close();
        Peer second = next();
        assertThat(second.pid()).isEqualTo(first.pid());
        assertThat(second.tryLock("name")).isTrue();
    }

    @Test
    void aProcessServesOneClientAtATime() {
        assertThat(next().pid()).isNotEqualTo(next().pid());
    }

    @Test
    void aFreshClientGetsAProcessThatNoOtherHasUsed() {
        Peer first = next();
        first.close();
        assertThat(begin(new Silent(), true).pid()).isNotEqualTo(first.pid());
    }

    @Test
    void aClientThatHasEndedDoesNotReachTheProcessOfTheNextOne() {
        Peer first = next();
        first.close();
        Peer second = next();
        assertThatThrownBy(() -> first.tryLock("name")).isInstanceOf(AssertionError.class);
        assertThatThrownBy(first::stop).isInstanceOf(AssertionError.class);
        first.kill();
        first.close();
        assertThat(second.tryLock("name")).isTrue();
        assertThat(next().pid()).isNotEqualTo(second.pid());
    }

    @Test
    void aProcessThatIsKilledIsNotUsedAgain() {
        Peer first = next();
        first.kill();
        first.close();
        assertThat(next().pid()).isNotEqualTo(first.pid());
    }

    @Test
    void aProcessThatStandsStillIsNotUsedAgain() {
        assumeTrue(PosixSignals.available(), "signals do not exist here");
        Peer first = next();
        first.stop();
        first.close();
        assertThat(next().pid()).isNotEqualTo(first.pid());
    }

    @Test
    void aProcessWhoseClientFailedIsNotUsedAgain() {
        Peer first = begin(new Failing(), false);
        assertThatThrownBy(() -> first.tryLock("name"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("one line and another");
        first.close();
        assertThat(begin(new Failing(), false).pid()).isNotEqualTo(first.pid());
    }

    @Test
    void aProcessThatOwesAnAnswerIsNotUsedAgain() {
        Peer first = next();
        CompletableFuture<Boolean> answer = CompletableFuture.supplyAsync(() -> first.isHeld("name"));
        while (!first.owesAnAnswer()) {
            Thread.onSpinWait();
        }
        first.close();
        assertThatThrownBy(answer::join).hasCauseInstanceOf(AssertionError.class);
        assertThat(next().pid()).isNotEqualTo(first.pid());
    }
}
