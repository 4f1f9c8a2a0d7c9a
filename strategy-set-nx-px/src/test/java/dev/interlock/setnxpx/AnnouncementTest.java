// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.OwnerToken;
import dev.interlock.engine.protocol.Release;
import dev.interlock.redis.LockWire;
import dev.interlock.redis.inspect.LockInspection;
import dev.interlock.setnxpx.intercept.Overhearing;
import dev.interlock.setnxpx.intercept.Overhearing.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A release that frees a plain lock is announced to clients of other makes. */
@Execution(ExecutionMode.CONCURRENT)
class AnnouncementTest extends ProtocolFixture {
    private static final String CHANNEL = "registry-channel:{key}";
    private static final List<String> NAMES = List.of("a", "b", "c");
    private static final String WAITING = "interlock:{mine}:plain:waiting";
    private static final String WAITER = "interlock:client:somebody";
    private static final Message FREED = freed(NAME);

    private Overhearing ear;

    @BeforeEach
    void listen() {
        ear = new Overhearing(redis.server);
    }

    @AfterEach
    void stopListening() {
        ear.close();
    }

    private static Message freed(String key) {
        return new Message("registry-channel:" + key, key);
    }

    private DistributedLockFactory factory(UnaryOperator<LockConfig.Builder> tweak) {
        return redis.factory(
                config -> tweak.apply(config.option("wire", "plain").option("wire-announce", CHANNEL)));
    }

    private DistributedLock lock(String option, String value) {
        return factory(config -> config.option(option, value)).getLock(NAME, Fixture.lease(LEASE));
    }

    private LeaseProtocol announcing(String... options) {
        List<String> all = new ArrayList<>(List.of("wire", "plain", "wire-announce", CHANNEL));
        all.addAll(List.of(options));
        return protocol(all.toArray(String[]::new));
    }

    private Object holder() {
        return redis.server.command("GET", NAME);
    }

    @ParameterizedTest
    @CsvSource({"fencing, true", "fencing, false", "wakeup, poll"})
    void eachReleaseThatFreesTheLockIsAnnounced(String option, String value) {
        DistributedLock lock = lock(option, value);
        for (int i = 0; i < 3; i++) {
            lock.lock();
            lock.lock();
            lock.unlock();
            assertThat(ear.heard()).as("while it is held").isEmpty();
            lock.unlock();
            assertThat(holder()).isNull();
            assertThat(ear.heard()).containsExactly(FREED);
        }
    }

    @Test
    void theKeyIsAnnouncedAndNotTheName() {
        DistributedLock lock = factory(
                        config -> config.option("wire-prefix", "app:").option("wire-suffix", ".lock"))
                .getLock("é {b} c");
        lock.lock();
        lock.unlock();
        assertThat(ear.heard()).containsExactly(freed("app:é {b} c.lock"));
    }

    @Test
    void aReleaseThatHandsTheLockOverIsNotAnnounced() {
        DistributedLock lock = lock("fencing", "true");
        ear.listen(WAITER);
        lock.lock();
        redis.server.command("ZADD", WAITING, "1", "1 somebody 300000 1 " + WAITER);
        lock.unlock();
        assertThat(holder()).isEqualTo(LockWord.MAGIC + "somebody");
        assertThat(ear.heard()).isEmpty();
        LeaseProtocol theirs = announcing();
        theirs.release(new Claim(NAME, new OwnerToken("somebody"), LEASE, Fixture.PATIENCE, 1, 1, true, true));
        assertThat(holder()).isNull();
        assertThat(ear.heard()).containsExactly(FREED);
    }

    @Test
    void aReleaseThatFindsOnlyWaitersWhoAreGoneIsAnnounced() {
        DistributedLock lock = lock("fencing", "true");
        lock.lock();
        redis.server.command("ZADD", WAITING, "1", "1 gone 300000 1 interlock:client:gone");
        lock.unlock();
        assertThat(holder()).isNull();
        assertThat(ear.heard()).containsExactly(FREED);
    }

    @Test
    void aReleaseOfALostLockIsNotAnnounced() {
        LeaseProtocol protocol = announcing();
        Claim claim = held(protocol);
        redis.server.command("SET", NAME, "5f0c3f1e9a");
        assertThat(protocol.release(claim)).isEqualTo(new Release.Lost(LossCause.TAKEN));
        redis.server.command("DEL", NAME);
        assertThat(protocol.release(claim)).isEqualTo(new Release.Lost(LossCause.GONE));
        assertThat(ear.heard()).isEmpty();
    }

    @Test
    void eachOfSeveralNamesIsAnnounced() {
        DistributedLock lock = factory(config -> config).getLock(NAMES);
        lock.lock();
        assertThat(ear.heard()).isEmpty();
        lock.unlock();
        assertThat(ear.heard()).containsExactlyInAnyOrder(freed("a"), freed("b"), freed("c"));
    }

    @Test
    void eachLockOfABatchIsAnnounced() {
        LeaseProtocol protocol = announcing();
        List<Claim> claims = NAMES.stream()
                .map(name ->
                        new Claim(name, new OwnerToken("token-" + name), LEASE, Fixture.PATIENCE, 1, 1, true, true))
                .toList();
        claims.forEach(claim -> assertGranted(protocol.attempt(claim)));
        protocol.releaseAll(claims);
        assertThat(ear.heard()).containsExactlyInAnyOrder(freed("a"), freed("b"), freed("c"));
    }

    @Test
    void whoeverAwaitsAConditionAnnouncesThatTheLockIsFree() {
        DistributedLock lock = lock("fencing", "true");
        FutureTask<Object> waiter = Fixture.start(() -> {
            lock.lock();
            lock.condition("full").await();
            return null;
        });
        await().atMost(Fixture.PATIENCE)
                .until(() -> (Long) redis.server.command("ZCARD", "interlock:{mine}:plain:condition::full") == 1);
        assertThat(holder()).isNull();
        assertThat(ear.heard()).containsExactly(FREED);
        waiter.cancel(true);
    }

    @Test
    void anAcquisitionThatIsGivenBackIsAnnounced() {
        LeaseProtocol protocol = announcing("replicas", "1");
        Claim claim = once().withTimeout(Duration.ofSeconds(3));
        assertThat(protocol.attempt(claim)).isInstanceOf(Attempt.Failed.class);
        // As the engine does, since the time may not have been enough.
        protocol.release(claim);
        assertThat(holder()).isNull();
        assertThat(ear.heard()).containsExactly(FREED);
    }

    @Test
    void aReleaseByForceIsAnnounced() {
        lock("fencing", "true").lock();
        LockConfig config = LockConfig.of(redis.server.uri()).toBuilder()
                .commandTimeout(Fixture.PATIENCE)
                .option("wire", "plain")
                .option("wire-announce", CHANNEL)
                .build();
        try (LockInspection inspection = new SetNxPxInspectionProvider().open(config)) {
            assertThat(inspection.release(inspection.look(NAME).orElseThrow())).isTrue();
        }
        assertThat(ear.heard()).containsExactly(FREED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aUserWhoMayNotUseTheChannelFreesTheLock(boolean behindOneWhoIsGone) {
        redis.server.command("ACL SETUSER locker on >s3cret ~* resetchannels &interlock:* +@all".split(" "));
        DistributedLock lock = redis.factory(
                        "redis://locker:s3cret@127.0.0.1:" + redis.server.port(),
                        config -> config.option("wire", "plain").option("wire-announce", CHANNEL))
                .getLock(NAME, Fixture.lease(LEASE));
        lock.lock();
        if (behindOneWhoIsGone) {
            redis.server.command("ZADD", WAITING, "1", "1 gone 300000 1 interlock:client:gone");
        }
        lock.unlock();
        assertThat(holder()).isNull();
        assertThat(ear.heard()).isEmpty();
        assertThat(String.valueOf(redis.server.command("ACL", "LOG")))
                .as("what was refused")
                .contains("registry-channel:mine");
    }

    /** Reports cannot show some of the characters. */
    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "registry-channel",
                "{key}",
                "{key} and {key}",
                "it's \"quoted\" \\ and \\n \\065 {key}",
                "lines\r\n\tand\0controls\u007f{key}",
                "ünicode 鍵 😀 {key}",
                "]] --[[ %s %d ${key} {KEY} , lock}"
            })
    void aChannelMayHaveAnyCharacters(String channel) {
        DistributedLock lock =
                factory(config -> config.option("wire-announce", channel)).getLock(NAME);
        lock.lock();
        lock.unlock();
        assertThat(ear.heard()).containsExactly(new Message(channel.replace("{key}", NAME), NAME));
    }

    @Test
    void withoutTheOptionNothingIsAnnounced() {
        DistributedLock lock =
                redis.factory(config -> config.option("wire", "plain")).getLock(NAME);
        lock.lock();
        lock.unlock();
        assertThat(ear.heard()).isEmpty();
        for (LockWire wire : List.of(LockWire.INTERLOCK, new LockWire(true, "", "", ""))) {
            LockScripts scripts = LockScripts.of(wire, false);
            assertThat(List.of(scripts.release(), scripts.await(), scripts.adopt(), scripts.freeUnwaited()))
                    .allSatisfy(script -> assertThat(script.source()).doesNotContain("announce", "ANNOUNCE"));
        }
    }
}
