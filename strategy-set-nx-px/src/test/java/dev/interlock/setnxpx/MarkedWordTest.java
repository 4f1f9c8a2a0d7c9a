// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.redis.LockWire;
import dev.interlock.redis.RedisCommand;
import dev.interlock.setnxpx.intercept.InterposedNode;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The mark that a waiter sets on the word of a held lock, while other clients act at the same time. */
class MarkedWordTest extends ProtocolFixture {
    private static final Release FREED = new Release.Freed(false);
    private static final Release PASSED_ON = new Release.Freed(true);

    @Test
    void anUncontendedWordIsFreedByTheShortScriptAlone() {
        LeaseProtocol holder = protocol();
        Claim claim = held(holder);
        assertThat(word()).isEqualTo(LockWord.of(claim));
        assertThat(holder.release(claim)).isEqualTo(FREED);
        assertThat(node(holder).sent).containsExactly(LockScripts.TAKE.sha1(), LockScripts.FREE.sha1());
    }

    @Test
    void whoeverAsksOnceMarksNothingAndWhoeverWaitsMarksOnce() {
        LeaseProtocol waiter = protocol();
        Claim claim = held(protocol());
        long life = (Long) redis.server.command("PTTL", KEY);
        assertRefused(waiter.attempt(once()));
        assertThat(word()).isEqualTo(LockWord.of(claim));
        assertRefused(waiter.attempt(waiting()));
        assertRefused(waiter.attempt(waiting()));
        assertRefused(waiter.attempt(once()));
        assertThat(word()).isEqualTo(marked(claim));
        assertThat((Long) redis.server.command("PTTL", KEY)).isBetween(1L, life);
    }

    @Test
    void aReleaseThatTheMarkComesBeforeHandsOver() {
        LeaseProtocol holder = protocol();
        LeaseProtocol waiter = protocol();
        Claim claim = held(holder);
        Claim[] next = new Claim[1];
        node(holder).before(LockScripts.FREE, () -> next[0] = queued(waiter));
        assertThat(holder.release(claim)).isEqualTo(PASSED_ON);
        assertThat(node(holder).sent)
                .endsWith(
                        LockScripts.FREE.sha1(),
                        LockScripts.of(LockWire.INTERLOCK, false).release().sha1());
        assertThat(word()).isEqualTo(LockWord.of(next[0]));
        assertThat(waiters()).isEqualTo(0L);
    }

    @Test
    void aReleaseWhoseWaiterHasGivenUpMeanwhileFreesTheLock() {
        LeaseProtocol holder = protocol();
        LeaseProtocol waiter = protocol();
        Claim claim = held(holder);
        Claim next = queued(waiter);
        node(holder).before(LockScripts.of(LockWire.INTERLOCK, false).release(), () -> waiter.release(next));
        assertThat(holder.release(claim)).isEqualTo(FREED);
        assertThat(word()).isNull();
    }

    @Test
    void aWaiterWhoseScriptComesAfterTheReleaseTakesTheLock() {
        for (String wakeup : List.of("queue", "pubsub", "poll")) {
            LeaseProtocol holder = protocol();
            LeaseProtocol waiter = protocol("wakeup", wakeup);
            if (!wakeup.equals("poll")) {
                listen(waiter);
            }
            Claim claim = held(holder);
            node(waiter)
                    .before(
                            LockScripts.of(LockWire.INTERLOCK, false).acquire(),
                            () -> assertThat(holder.release(claim)).isEqualTo(FREED));
            Claim next = waiting();
            assertGranted(waiter.attempt(next));
            assertThat(word()).isEqualTo(LockWord.of(next));
            assertThat(waiters()).isEqualTo(0L);
            assertThat(waiter.release(next)).isEqualTo(FREED);
        }
    }

    @Test
    void aWaiterWithoutScriptsWhoseMarkComesAfterTheReleaseTakesTheLock() {
        LeaseProtocol holder = protocol();
        LeaseProtocol waiter = protocol("release", "transaction", "fencing", "false");
        Claim claim = held(holder);
        node(waiter)
                .beforeCommand("APPEND", () -> assertThat(holder.release(claim)).isEqualTo(FREED));
        Claim next = waiting();
        assertGranted(waiter.attempt(next));
        assertThat(word()).isEqualTo(LockWord.of(next));
    }

    @Test
    void aWaiterWithoutScriptsThatCouldMarkNobodysWordAsksAgainAtOnce() {
        LeaseProtocol waiter = protocol("release", "transaction", "fencing", "false");
        int[] holders = {0};
        Runnable[] changeHolder = new Runnable[1];
        changeHolder[0] = () -> {
            redis.server.command("SET", KEY, LockWord.MAGIC + "holder-" + holders[0]++);
            node(waiter).beforeCommand("APPEND", changeHolder[0]);
        };
        changeHolder[0].run();
        assertThat(waiter.attempt(waiting())).isEqualTo(new Attempt.Refused(Optional.of(Duration.ZERO)));
        assertThat((String) word()).as("no release of it tells anybody").doesNotEndWith(LockWord.MARK);
        assertThat(holders[0]).isGreaterThan(1);
    }

    @Test
    void whoeverHoldsALockWithoutScriptsFreesAMarkedWord() {
        LeaseProtocol holder = protocol("release", "transaction", "fencing", "false");
        Claim claim = held(holder);
        redis.mark(NAME);
        redis.server.command("PEXPIRE", KEY, "30000");
        assertThat(holder.renew(List.of(claim))).first().isInstanceOf(Renewal.Renewed.class);
        assertThat((Long) redis.server.command("PTTL", KEY)).isGreaterThan(30_000);
        assertThat(word()).isEqualTo(marked(claim));
        assertThat(holder.release(claim)).isEqualTo(PASSED_ON);
        assertThat(word()).isNull();
    }

    @Test
    void aWaiterWithoutScriptsIsToldOfTheRelease() throws Exception {
        DistributedLock mine =
                redis.factory(config -> config.option("wakeup", "pubsub")).getLock(NAME);
        DistributedLock theirs = redis.factory(config -> config.option("release", "transaction")
                        .option("fencing", "false")
                        .waitCeiling(Duration.ofHours(1)))
                .getLock(NAME);
        mine.lock();
        FutureTask<Lease> waiting = Fixture.passing(theirs);
        redis.awaitWaiters(NAME, 1);
        redis.awaitMark(NAME);
        mine.unlock();
        waiting.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void theUndoOfAMarkedWordLeavesNoGhost() {
        LeaseProtocol late = protocol();
        LeaseProtocol waiter = protocol();
        node(late).answer = (command, reply) -> {
            throw new LockBackendException(Reason.OUTCOME_UNKNOWN, "the reply is lost");
        };
        assertThat(late.attempt(waiting())).isInstanceOf(Attempt.Failed.class);
        Claim next = queued(waiter);
        assertThat((String) word()).endsWith(LockWord.MARK);
        RedisCommand undo = Objects.requireNonNull(node(late).undo).get().inFull();
        node(waiter).call(undo, Fixture.PATIENCE);
        assertThat(word()).isEqualTo(LockWord.of(next));
    }

    @Test
    void aTokenThatBeginsLikeAnotherOneIsNotThatOne() {
        LeaseProtocol protocol = protocol();
        LeaseProtocol withoutScripts = protocol("release", "transaction", "fencing", "false");
        Claim longer = claimOf("p-11");
        Claim shorter = claimOf("p-1");
        for (boolean isMarked : List.of(false, true)) {
            assertGranted(protocol.attempt(longer));
            if (isMarked) {
                redis.mark(NAME);
            }
            Object word = word();
            for (LeaseProtocol each : List.of(protocol, withoutScripts)) {
                assertThat(each.renew(List.of(shorter))).containsExactly(new Renewal.Lost(LossCause.TAKEN));
                assertThat(each.release(shorter)).isEqualTo(new Release.Lost(LossCause.TAKEN));
                assertRefused(each.attempt(shorter));
                each.releaseAll(List.of(shorter));
            }
            assertThat(word()).isEqualTo(word);
            protocol.release(longer);
        }
    }

    private static Claim claimOf(String token) {
        return new Claim(NAME, token, LEASE, Fixture.PATIENCE, 1);
    }

    @Test
    void aForeignValueIsNotTouched() {
        for (String foreign : List.of("somebody-else", "il0:token-1", "", "IL1:token")) {
            redis.server.command("SET", KEY, foreign);
            for (String wakeup : List.of("queue", "pubsub", "poll")) {
                assertRefused(protocol("wakeup", wakeup).attempt(waiting()));
            }
            assertRefused(protocol("release", "transaction", "fencing", "false").attempt(waiting()));
            assertThat(word()).isEqualTo(foreign);
            assertThat(redis.server.command("PTTL", KEY)).isEqualTo(-1L);
        }
    }

    @Test
    void aNewcomerAfterTheHoldersEndComesBehindThoseWhoWait() {
        LeaseProtocol newcomer = protocol();
        held(protocol());
        Claim first = queued(protocol());
        redis.server.command("DEL", KEY);
        assertRefused(newcomer.attempt(once()));
        assertThat(word()).isEqualTo(LockWord.of(first));
    }

    @Test
    void aHandOverWithOthersInTheListIsMarkedAndReachesTheThird() {
        LeaseProtocol holder = protocol();
        LeaseProtocol second = protocol();
        LeaseProtocol third = protocol();
        Claim claim = held(holder);
        Claim next = queued(second);
        Claim last = queued(third);
        assertThat(holder.release(claim)).isEqualTo(PASSED_ON);
        assertThat(word()).isEqualTo(marked(next));
        assertGranted(second.attempt(next));
        node(second).sent.clear();
        assertThat(second.release(next)).isEqualTo(PASSED_ON);
        assertThat(node(second).sent)
                .as("it has waited, so others may")
                .containsExactly(
                        LockScripts.of(LockWire.INTERLOCK, false).release().sha1());
        assertThat(word()).isEqualTo(LockWord.of(last));
        assertGranted(third.attempt(last));
        assertThat(third.release(last)).isEqualTo(FREED);
        assertThat(word()).isNull();
    }

    @Test
    void whoeverTakesTheLockPastAListMarksItsWord() {
        held(protocol());
        LeaseProtocol inTheList = protocol();
        Claim first = queued(inTheList);
        redis.server.command("DEL", KEY);
        LeaseProtocol disregarding = protocol("wakeup", "pubsub");
        Claim claim = held(disregarding);
        assertThat(word()).isEqualTo(marked(claim));
        assertThat(disregarding.release(claim)).isEqualTo(PASSED_ON);
        assertThat(word()).isEqualTo(LockWord.of(first));
    }

    @Test
    void whoeverTakesTheLockPastAListNeedsNoSecondCommandThatMayBeRefused() {
        held(protocol());
        queued(protocol());
        redis.server.command("DEL", KEY);
        LeaseProtocol disregarding = protocol("wakeup", "poll");
        redis.server.command("ACL", "SETUSER", "default", "-append");
        Claim claim = once();
        assertGranted(disregarding.attempt(claim));
        assertThat(word()).isEqualTo(marked(claim));
    }

    @Test
    void aRenewalOfAMarkedWordExtendsItAndKeepsTheMark() {
        LeaseProtocol holder = protocol();
        Claim claim = held(holder);
        redis.mark(NAME);
        redis.server.command("PEXPIRE", KEY, "30000");
        assertThat(holder.renew(List.of(claim))).first().isInstanceOf(Renewal.Renewed.class);
        assertThat((Long) redis.server.command("PTTL", KEY)).isGreaterThan(30_000);
        assertGranted(holder.attempt(claim));
        assertThat(word()).as("asking again keeps it too").isEqualTo(marked(claim));
    }

    @Test
    void aBatchReleasesMarkedAndPlainWords() {
        LeaseProtocol holder = protocol();
        Claim plain = new Claim("plain", "token-p", LEASE, Fixture.PATIENCE, 1);
        assertGranted(holder.attempt(plain));
        Claim claim = held(holder);
        Claim next = queued(protocol());
        holder.releaseAll(List.of(plain, claim));
        assertThat(redis.isTaken("plain")).isFalse();
        assertThat(word()).isEqualTo(LockWord.of(next));
    }

    @Test
    void whoeverFindsTheLockFreeInItsTurnLeavesNoPlaceBehind() {
        held(protocol());
        LeaseProtocol waiter = protocol();
        Claim next = queued(waiter);
        redis.server.command("DEL", KEY);
        assertGranted(waiter.attempt(next));
        assertThat(waiters()).isEqualTo(0L);
        assertThat(word()).isEqualTo(LockWord.of(next));
    }

    @Test
    void aReleaseOfManyHandsOverALockWhoseWaiterCouldNotMarkIt() {
        LeaseProtocol holder = protocol();
        Claim claim = held(holder);
        Claim next = queued(protocol());
        redis.server.command("SET", KEY, LockWord.of(claim), "KEEPTTL");
        holder.releaseAll(List.of(claim));
        assertThat(word()).isEqualTo(LockWord.of(next));
        assertThat(waiters()).isEqualTo(0L);
    }

    @ParameterizedTest
    @CsvSource({"DELIFEQ,", "DELEX,IFEQ"})
    void theServersOwnCommandIsUsedWhereThereIsOneAndTheScriptAgainWhereItIsRefused(
            String own, @Nullable String condition) {
        LeaseProtocol holder = protocol();
        InterposedNode node = node(holder);
        boolean[] allowed = {true};
        node.answer = (command, reply) -> {
            if (reply instanceof List<?> found && found.size() == 2 && "".equals(found.get(1))) {
                return List.of(Objects.requireNonNull(found.get(0)), own);
            }
            if (command.name().equals(own)) {
                List<String> expected = condition == null
                        ? List.of(KEY, String.valueOf(word()))
                        : List.of(KEY, condition, String.valueOf(word()));
                assertThat(command.arguments()).isEqualTo(expected);
                if (!allowed[0]) {
                    throw new LockBackendException(Reason.REFUSED, "NOPERM");
                }
                return redis.server.command("DEL", command.arguments().get(0));
            }
            return reply;
        };
        assertThat(holder.release(held(holder))).as("looks for it").isEqualTo(FREED);
        assertThat(holder.release(held(holder))).as("has it").isEqualTo(FREED);
        allowed[0] = false;
        assertThat(holder.release(held(holder))).as("is refused").isEqualTo(FREED);
        assertThat(holder.release(held(holder))).as("has none").isEqualTo(FREED);
        node.sent.removeIf(List.of(LockScripts.TAKE.sha1(), "SET", "INCRBY", "EXISTS")::contains);
        assertThat(node.sent)
                .containsExactly(
                        LockScripts.FREE.sha1(),
                        own,
                        own,
                        LockScripts.of(LockWire.INTERLOCK, false).release().sha1(),
                        LockScripts.FREE.sha1());
        assertThat(word()).isNull();
    }
}
