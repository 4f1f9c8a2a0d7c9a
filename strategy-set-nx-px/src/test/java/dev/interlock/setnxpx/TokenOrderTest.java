// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.redis.LockWire;
import dev.interlock.setnxpx.intercept.InterposedNode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** That no fencing token is drawn twice, although most are drawn by counting. */
class TokenOrderTest extends ProtocolFixture {
    private static final String FENCE = KEY + ":fence";

    /** Draws a token. */
    private long draw(LeaseProtocol protocol) {
        Claim claim = once();
        long token = assertGranted(protocol.attempt(claim));
        protocol.release(claim);
        return token;
    }

    private void setCounter(long last) {
        redis.server.command("SET", FENCE, Long.toString(last), "EX", "3600");
    }

    @Test
    void aTokenIsCountedAfterOneThatWasDrawnByTime() {
        LeaseProtocol protocol = counting();
        assertThat((Long) redis.server.command("PTTL", FENCE)).isPositive();
        assertThat(draw(protocol)).isLessThan(draw(protocol));
    }

    @Test
    void aCounterThatIsLostOrSetBackRepeatsNoToken() {
        for (String lost : List.of("DEL", "FLUSHALL", "SET")) {
            LeaseProtocol protocol = counting();
            long last = draw(protocol);
            switch (lost) {
                case "DEL" -> redis.server.command("DEL", FENCE);
                case "FLUSHALL" -> redis.server.command("FLUSHALL");
                default -> setCounter(last - 5);
            }
            assertThat(draw(protocol)).as(lost).isGreaterThan(last);
            assertThat((Long) redis.server.command("PTTL", FENCE)).isPositive();
        }
    }

    @Test
    void aCounterThatWasSetBackBeforeANewConnectionRepeatsNoToken() {
        LeaseProtocol protocol = counting();
        draw(protocol);
        long last = draw(protocol);
        // As a replica has it that lacks the last draw, which is still more than this client drew by time.
        setCounter(last - 1);
        redis.server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        long next = 0;
        for (int i = 0; i < 20 && next == 0; i++) {
            Claim claim = once();
            // A connection that has ended may cost a request or two.
            next = protocol.attempt(claim) instanceof Attempt.Granted granted
                    ? granted.firstFence().orElseThrow()
                    : 0;
        }
        assertThat(next).isGreaterThan(last);
    }

    @Test
    void aTokenIsDrawnByTimeAfterTheConnectionsHaveChanged() {
        LeaseProtocol protocol = counting();
        long last = draw(protocol);
        // As a connection does that was opened for another command.
        node(protocol).generation = node(protocol).generation(KEY) + 1_000_000;
        setCounter(last - 1);
        assertThat(draw(protocol)).isGreaterThan(last);
    }

    @Test
    void aTokenThatWasCountedWhileTheConnectionsChangedIsDrawnAgain() {
        LeaseProtocol protocol = counting();
        InterposedNode node = node(protocol);
        long before = node.generation(KEY);
        long last = draw(protocol);
        node.beforeCommand("INCRBY", () -> {
            setCounter(last - 1);
            node.generation = before + 1_000_000;
        });
        Claim claim = once();
        assertThat(assertGranted(protocol.attempt(claim))).isGreaterThan(last);
        assertThat(word()).isEqualTo(LockWord.of(claim));
    }

    @Test
    void aDrawDuringWhichAnotherServerWasAskedProvesNothingOfTheFirst() {
        LeaseProtocol protocol = protocol();
        InterposedNode node = node(protocol);
        node.generation = 5L;
        node.before(LockScripts.TAKE, () -> node.generation = 6L);
        long last = draw(protocol) + 5;
        // As of a slot that has come back, without the last five tokens.
        node.generation = 5L;
        setCounter(last - 4);
        assertThat(draw(protocol)).isGreaterThan(last);
    }

    @Test
    void aLockWhoseTokenCouldNotBeDrawnAgainIsGivenBack() {
        LeaseProtocol protocol = withoutASecondDraw();
        assertFailed(protocol.attempt(once()), Reason.UNREACHABLE);
        assertThat(word()).isNull();
    }

    @Test
    void nobodyKnowsOfALockThatCouldNotBeGivenBackForWantOfAToken() {
        LeaseProtocol protocol = withoutASecondDraw();
        node(protocol).before(LockScripts.of(LockWire.INTERLOCK, false).release(), () -> {
            throw new LockBackendException(Reason.UNREACHABLE, "gone");
        });
        Claim claim = once();
        assertFailed(protocol.attempt(claim), Reason.OUTCOME_UNKNOWN);
        assertThat(word()).isEqualTo(LockWord.of(claim));
    }

    /** A client whose counted token is rejected, and that cannot draw another one by time. */
    private LeaseProtocol withoutASecondDraw() {
        LeaseProtocol protocol = counting();
        InterposedNode node = node(protocol);
        long before = node.generation(KEY);
        node.beforeCommand("INCRBY", () -> node.generation = before + 1_000_000);
        node.before(LockScripts.of(LockWire.INTERLOCK, false).acquire(), () -> {
            throw new LockBackendException(Reason.UNREACHABLE, "gone");
        });
        return protocol;
    }

    private static void assertFailed(Attempt attempt, Reason reason) {
        assertThat(attempt)
                .isInstanceOfSatisfying(
                        Attempt.Failed.class,
                        failed -> assertThat(failed.cause().reason()).isEqualTo(reason));
    }

    @Test
    void aClaimHasAsManyTokensAsItReservesHoweverTheyAreDrawn() {
        LeaseProtocol protocol = counting();
        for (int i = 0; i < 20; i++) {
            long first = drawThree(protocol);
            assertThat(drawThree(protocol)).isGreaterThanOrEqualTo(first + 3);
        }
    }

    @Test
    void aCounterThatHasLostTheLastOfTheTokensOfAClaimRepeatsNone() {
        // Where the machine stands still for a second, the time proves less.
        for (int i = 0; i < 5; i++) {
            LeaseProtocol protocol = protocol();
            // Opens the connection, during which a draw would prove nothing.
            protocol.isLocked(NAME);
            long first = drawThree(protocol);
            setCounter(first + 1);
            assertThat(draw(protocol)).isGreaterThan(first + 2);
        }
    }

    private long drawThree(LeaseProtocol protocol) {
        Claim claim = new Claim(NAME, once().token(), LEASE, Fixture.PATIENCE, 3);
        long first = assertGranted(protocol.attempt(claim));
        protocol.release(claim);
        return first;
    }

    @Test
    void whoeverDoesNotKnowItsConnectionsDrawsByTime() {
        LeaseProtocol protocol = protocol();
        node(protocol).generation = -1L;
        long last = draw(protocol);
        for (int i = 0; i < 20; i++) {
            // A token that was counted would follow the one before, which was set back.
            setCounter(last - 1);
            long next = draw(protocol);
            assertThat(next).isGreaterThan(last);
            last = next;
        }
    }

    @Test
    void severalClientsDrawFromOneCounter() {
        LeaseProtocol one = counting();
        LeaseProtocol other = counting();
        long last = 0;
        for (int i = 0; i < 50; i++) {
            for (LeaseProtocol each : List.of(one, other)) {
                long next = draw(each);
                assertThat(next).isGreaterThan(last);
                last = next;
            }
        }
    }

    @Test
    void aRefusedDrawLeavesNoCounterForEver() {
        LeaseProtocol counting = counting();
        LeaseProtocol other = protocol();
        redis.server.command("DEL", FENCE);
        redis.holdElsewhere(NAME);
        assertRefused(other.attempt(once()));
        assertRefused(other.attempt(waiting()));
        assertThat(redis.server.command("EXISTS", FENCE)).isEqualTo(0L);
        assertRefused(counting.attempt(once()));
        assertThat((Long) redis.server.command("PTTL", FENCE)).isPositive();
    }

    @Test
    void aCounterThatIsNoNumberIsReportedAndLeavesNoLock() {
        LeaseProtocol protocol = counting();
        redis.server.command("SET", FENCE, "nonsense");
        assertNoNumber(protocol.attempt(once()));
        redis.server.command("SET", FENCE, "inf");
        assertNoNumber(protocol.attempt(once()));
        redis.server.command("DEL", FENCE);
        redis.server.command("LPUSH", FENCE, "nonsense");
        assertNoNumber(protocol.attempt(once()));
        assertNoNumber(protocol.attempt(waiting()));
        assertThat(word()).isNull();
    }

    private static void assertNoNumber(Attempt attempt) {
        assertThat(attempt).isInstanceOfSatisfying(Attempt.Failed.class, failed -> {
            assertThat(failed.cause().reason()).isEqualTo(Reason.REFUSED);
            assertThat(failed.cause()).hasMessageContaining("fence of this lock is not a number");
        });
    }
}
