// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.redis.LockWire;
import dev.interlock.setnxpx.intercept.InterposedNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An acquisition by three plain commands, and what others may do before, between and behind them. */
class CountedAttemptsTest extends ProtocolFixture {
    private static final String FENCE = KEY + ":fence";
    private static final String TAKE = LockScripts.TAKE.sha1();
    private static final String FREE = LockScripts.FREE.sha1();
    private static final String ACQUIRE =
            LockScripts.of(LockWire.INTERLOCK, false).acquire().sha1();
    private static final String RELEASE =
            LockScripts.of(LockWire.INTERLOCK, false).release().sha1();

    private long counter() {
        return Long.parseLong((String) redis.server.command("GET", FENCE));
    }

    /** Takes the lock and gives it back; returns the token. */
    private long draw(LeaseProtocol protocol) {
        Claim claim = once();
        long token = assertGranted(protocol.attempt(claim));
        protocol.release(claim);
        return token;
    }

    private void expire() {
        redis.server.command("DEL", KEY);
    }

    private static void assertFailed(Attempt attempt, Reason reason) {
        assertThat(attempt)
                .isInstanceOfSatisfying(
                        Attempt.Failed.class,
                        failed -> assertThat(failed.cause().reason()).isEqualTo(reason));
    }

    @Test
    void aLockThatNobodyWaitsForIsTakenByPlainCommands() {
        LeaseProtocol protocol = counting();
        long last = counter();
        Claim claim = new Claim(NAME, once().token(), LEASE, Fixture.PATIENCE, 3);
        assertThat(assertGranted(protocol.attempt(claim))).isEqualTo(last + 1);
        assertThat(counter()).isEqualTo(last + 3);
        assertThat(word()).isEqualTo(LockWord.of(claim));
        assertThat((Long) redis.server.command("PTTL", KEY)).isBetween(1L, LEASE.toMillis());
        protocol.release(claim);
        assertThat(node(protocol).sent).containsExactly("SET", "INCRBY", "EXISTS", FREE);
    }

    @Test
    void aTokenIsDrawnAfterTheLockWasTaken() {
        LeaseProtocol protocol = counting();
        LeaseProtocol other = counting();
        long[] before = new long[1];
        node(protocol).beforeCommand("SET", () -> before[0] = draw(other));
        assertThat(draw(protocol)).isGreaterThan(before[0]);
    }

    @Test
    void whoeverIsRefusedCountsNoMoreUntilItHasHadTheLock() {
        LeaseProtocol protocol = counting();
        redis.holdElsewhere(NAME);
        assertRefused(protocol.attempt(once()));
        assertThat(node(protocol).sent).containsExactly("SET", "INCRBY", "EXISTS", ACQUIRE);
        node(protocol).sent.clear();
        long last = counter();
        for (int i = 0; i < 5; i++) {
            assertRefused(protocol.attempt(once()));
        }
        assertThat(node(protocol).sent).containsOnly(TAKE);
        assertThat(counter()).isEqualTo(last);
        expire();
        assertThat(draw(protocol)).isGreaterThan(last);
        node(protocol).sent.clear();
        draw(protocol);
        assertThat(node(protocol).sent).startsWith("SET");
    }

    @Test
    void whoeverIsRefusedAndWaitsMarksTheWord() {
        LeaseProtocol protocol = counting();
        Claim claim = held(protocol());
        assertRefused(protocol.attempt(waiting()));
        assertThat(word()).isEqualTo(marked(claim));
        assertThat(waiters()).isEqualTo(1L);
    }

    @Test
    void aClaimThatHoldsTheLockIsGrantedItAgain() {
        LeaseProtocol protocol = counting();
        Claim claim = once();
        long first = assertGranted(protocol.attempt(claim));
        assertThat(assertGranted(protocol.attempt(claim))).isGreaterThan(first);
        assertThat(word()).isEqualTo(LockWord.of(claim));
    }

    @Test
    void whoeverTakesTheLockAfterItsLeaseWasOverInBetweenHasATokenOfItsOwn() {
        LeaseProtocol protocol = counting();
        LeaseProtocol other = counting();
        Claim next = once();
        long[] token = new long[1];
        node(protocol).beforeCommand("INCRBY", () -> {
            expire();
            token[0] = assertGranted(other.attempt(next));
        });
        // As after a server stood still for longer than the lease, which the engine notices by its clock.
        assertThat(assertGranted(protocol.attempt(once()))).isNotEqualTo(token[0]);
        assertThat(word()).isEqualTo(LockWord.of(next));
    }

    @Test
    void aLockThatWasTakenBeforeOthersWhoWaitIsHandedOver() {
        LeaseProtocol protocol = counting();
        LeaseProtocol waiter = protocol();
        held(protocol());
        Claim next = queued(waiter);
        expire();
        assertRefused(protocol.attempt(once()));
        assertThat(node(protocol).sent).containsExactly("SET", "INCRBY", "EXISTS", RELEASE, ACQUIRE);
        assertThat(word()).isEqualTo(LockWord.of(next));
        assertThat(waiters()).isEqualTo(0L);
    }

    @Test
    void whoeverLetsOthersPassWaitsBehindThem() {
        LeaseProtocol protocol = counting();
        LeaseProtocol waiter = protocol();
        held(protocol());
        Claim next = queued(waiter);
        expire();
        Claim mine = waiting();
        assertRefused(protocol.attempt(mine));
        assertThat(word()).isEqualTo(marked(next));
        assertThat(waiters()).isEqualTo(1L);
        waiter.release(next);
        assertThat(word()).isEqualTo(LockWord.of(mine));
    }

    @Test
    void aLockIsHandedOverToWhoeverBeganToWaitInBetween() {
        for (String between : new String[] {"INCRBY", "EXISTS"}) {
            LeaseProtocol protocol = counting();
            LeaseProtocol waiter = protocol();
            Claim[] next = new Claim[1];
            node(protocol).beforeCommand(between, () -> next[0] = queued(waiter));
            assertRefused(protocol.attempt(once()));
            assertThat(word()).as(between).isEqualTo(LockWord.of(next[0]));
            waiter.release(next[0]);
            assertThat(word()).as(between).isNull();
        }
    }

    @Test
    void whoeverLetsPassThoseWhoAreGoneHasTheLock() {
        LeaseProtocol protocol = counting();
        redis.server.command("ZADD", KEY + ":waiting", "1", "7 somebody 2000 1 interlock:client:gone");
        Claim claim = once();
        assertGranted(protocol.attempt(claim));
        assertThat(word()).isEqualTo(LockWord.of(claim));
        assertThat(waiters()).isEqualTo(0L);
    }

    @Test
    void aLockThatCouldNotBeHandedOverIsHandedOverByItsRelease() {
        LeaseProtocol protocol = counting();
        LeaseProtocol waiter = protocol();
        held(protocol());
        Claim next = queued(waiter);
        expire();
        node(protocol).before(LockScripts.of(LockWire.INTERLOCK, false).release(), () -> {
            throw new LockBackendException(Reason.UNREACHABLE, "gone");
        });
        Claim claim = once();
        assertFailed(protocol.attempt(claim), Reason.OUTCOME_UNKNOWN);
        assertThat(word()).isEqualTo(LockWord.of(claim));
        assertThat(protocol.release(claim)).isEqualTo(new Release.Freed(true));
        assertThat(word()).isEqualTo(LockWord.of(next));
    }

    @Test
    void aLockOfWhichOneDoesNotKnowWhetherItWasTakenIsHandedOverByItsRelease() {
        LeaseProtocol protocol = counting();
        LeaseProtocol waiter = protocol();
        held(protocol());
        Claim next = queued(waiter);
        expire();
        node(protocol).beforeCommand("EXISTS", () -> {
            throw new LockBackendException(Reason.OUTCOME_UNKNOWN, "no reply");
        });
        Claim claim = once();
        assertFailed(protocol.attempt(claim), Reason.OUTCOME_UNKNOWN);
        assertThat(protocol.release(claim)).isEqualTo(new Release.Freed(true));
        assertThat(word()).isEqualTo(LockWord.of(next));
    }

    @Test
    void whatUndoesAnAttemptHandsOver() {
        LeaseProtocol protocol = counting();
        LeaseProtocol waiter = protocol();
        Claim claim = held(protocol);
        Claim next = queued(waiter);
        var undo = node(protocol).undo;
        assertThat(undo).isNotNull();
        assertThat(undo.get().arguments().get(0)).isEqualTo(RELEASE);
        protocol.release(claim);
        assertThat(word()).isEqualTo(LockWord.of(next));
    }

    @Test
    void aTokenIsDrawnByTimeWhereItMayNotBeCounted() {
        LeaseProtocol protocol = counting();
        long last = counter();
        // As an administrator does who changes the access control list.
        redis.server.command("ACL", "SETUSER", "default", "-incrby");
        Claim claim = once();
        assertThat(assertGranted(protocol.attempt(claim))).isGreaterThan(last);
        assertThat(node(protocol).sent).containsExactly("SET", "INCRBY", "EXISTS", ACQUIRE);
        assertThat(word()).isEqualTo(LockWord.of(claim));
    }

    @Test
    void whoeverMayNotLookForOthersHoldsNothing() {
        LeaseProtocol protocol = counting();
        redis.server.command("ACL", "SETUSER", "default", "-exists");
        assertFailed(protocol.attempt(once()), Reason.REFUSED);
        assertThat(word()).isNull();
    }

    @Test
    void whoeverMayNotTakeTheLockIsRefusedByTheServer() {
        LeaseProtocol protocol = counting();
        redis.server.command("ACL", "SETUSER", "default", "-set");
        assertFailed(protocol.attempt(once()), Reason.REFUSED);
        assertThat(word()).isNull();
    }

    @Test
    void aLockOfAServerThatBecomesAReplicaInBetweenIsGivenBackLater() {
        LeaseProtocol protocol = counting();
        long last = counter();
        node(protocol).beforeCommand("INCRBY", () -> redis.server.command("REPLICAOF", "127.0.0.1", "1"));
        Claim claim = once();
        assertFailed(protocol.attempt(claim), Reason.OUTCOME_UNKNOWN);
        redis.server.command("REPLICAOF", "NO", "ONE");
        assertThat(word()).isEqualTo(LockWord.of(claim));
        protocol.release(claim);
        assertThat(word()).isNull();
        assertThat(draw(protocol)).isGreaterThan(last);
    }

    @Test
    void aCounterThatWasLostWhileTheLockWasTakenIsDrawnByTime() {
        for (String command : new String[] {"SET", "INCRBY"}) {
            LeaseProtocol protocol = counting();
            long last = counter();
            node(protocol).beforeCommand(command, () -> redis.server.command("DEL", FENCE));
            assertThat(draw(protocol)).as(command).isGreaterThan(last);
            assertThat((Long) redis.server.command("PTTL", FENCE)).isPositive();
        }
    }

    @Test
    void aFlushInBetweenLeavesTwoHoldersNoTokenInCommon() {
        LeaseProtocol protocol = counting();
        LeaseProtocol other = counting();
        long last = counter();
        long[] token = new long[1];
        node(protocol).beforeCommand("INCRBY", () -> {
            redis.server.command("FLUSHALL");
            token[0] = draw(other);
        });
        long mine = assertGranted(protocol.attempt(once()));
        assertThat(token[0]).isGreaterThan(last);
        assertThat(mine).isGreaterThan(token[0]);
    }

    @Test
    void aLockForWhoseTokenTheServerHasNoRoomIsGivenBack() {
        LeaseProtocol protocol = counting();
        long last = counter();
        node(protocol).beforeCommand("INCRBY", () -> redis.server.command("CONFIG", "SET", "maxmemory", "1"));
        assertFailed(protocol.attempt(once()), Reason.UNREACHABLE);
        assertThat(node(protocol).sent).startsWith("SET", "INCRBY", "EXISTS", ACQUIRE);
        assertThat(word()).isNull();
        redis.server.command("CONFIG", "SET", "maxmemory", "0");
        assertThat(draw(protocol)).isGreaterThan(last);
    }

    @Test
    void aLockWhoseServerLacksReplicasForTheTokenIsGivenBackLater() {
        LeaseProtocol protocol = counting();
        long last = counter();
        node(protocol)
                .beforeCommand("INCRBY", () -> redis.server.command("CONFIG", "SET", "min-replicas-to-write", "1"));
        Claim claim = once();
        assertFailed(protocol.attempt(claim), Reason.OUTCOME_UNKNOWN);
        assertThat(word()).isEqualTo(LockWord.of(claim));
        redis.server.command("CONFIG", "SET", "min-replicas-to-write", "0");
        protocol.release(claim);
        assertThat(word()).isNull();
        assertThat(draw(protocol)).isGreaterThan(last);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SET", "INCRBY", "EXISTS"})
    void aConnectionThatIsCutBeforeACommandLeavesNothingBehind(String command) {
        LeaseProtocol protocol = counting();
        LeaseProtocol other = counting();
        long last = draw(other);
        node(protocol)
                .beforeCommand(
                        command, () -> redis.server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"));
        Claim claim = once();
        if (protocol.attempt(claim) instanceof Attempt.Granted granted) {
            assertThat(granted.firstFence().orElseThrow()).isGreaterThan(last);
        }
        Fixture.giveBack(protocol, claim);
        assertThat(word()).isNull();
        assertThat((Long) redis.server.command("PTTL", FENCE)).isPositive();
        assertThat(Fixture.draw(protocol, this::once)).isGreaterThan(last);
    }

    @Test
    void aCounterThatWasMadeAnewEndsEvenIfNobodyKnowsOfThat() {
        for (boolean taken : new boolean[] {true, false}) {
            LeaseProtocol protocol = counting();
            InterposedNode node = node(protocol);
            node.beforeCommand("SET", () -> {
                if (!taken) {
                    redis.holdElsewhere(NAME);
                }
            });
            node.beforeCommand("INCRBY", () -> redis.server.command("DEL", FENCE));
            node.beforeCommand("EXISTS", () -> {
                throw new LockBackendException(Reason.OUTCOME_UNKNOWN, "no reply");
            });
            Claim claim = once();
            assertFailed(protocol.attempt(claim), Reason.OUTCOME_UNKNOWN);
            assertThat(counter()).isEqualTo(1);
            protocol.release(claim);
            assertThat((Long) redis.server.command("PTTL", FENCE))
                    .as("taken: " + taken)
                    .isPositive();
            expire();
        }
    }

    @Test
    void aCounterThatWasMadeAnewEndsEvenIfNoTokenIsDrawnByTime() {
        LeaseProtocol protocol = counting();
        node(protocol).beforeCommand("INCRBY", () -> redis.server.command("DEL", FENCE));
        node(protocol).before(LockScripts.of(LockWire.INTERLOCK, false).acquire(), () -> {
            throw new LockBackendException(Reason.UNREACHABLE, "gone");
        });
        assertFailed(protocol.attempt(once()), Reason.UNREACHABLE);
        assertThat(word()).isNull();
        assertThat((Long) redis.server.command("PTTL", FENCE)).isPositive();
    }

    @Test
    void aCounterThatIsTooLargeForATokenIsReportedAndLeavesNoLock() {
        LeaseProtocol protocol = counting();
        node(protocol).beforeCommand("SET", () -> redis.server.command("SET", FENCE, Long.toString((1L << 53) - 1)));
        assertFailed(protocol.attempt(once()), Reason.REFUSED);
        assertThat(word()).isNull();
    }
}
