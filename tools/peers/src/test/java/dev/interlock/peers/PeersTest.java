// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LeaseLostException;
import dev.interlock.LockOptions;
import dev.interlock.peers.Property.Shown;
import dev.interlock.peers.client.Make;
import dev.interlock.peers.client.Peer;
import dev.interlock.peers.client.PeerWire;
import dev.interlock.redis.inspect.PeerFormat;
import dev.interlock.testservers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The properties between a lock of ours under a plain key and a client of another make. The client's own code runs. */
@Tag("deep")
@ParameterizedClass
@EnumSource(PeerKind.class)
class PeersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration SHORT = Duration.ofSeconds(1);

    /** Of a holder that dies. If it is over before, the test shows less, and does not fail. */
    private static final Duration OF_THE_DEAD = Duration.ofSeconds(3);

    private static final Duration LOAD = Duration.ofSeconds(3);

    /** For clients that do not hear of a release, and look for one again when they are asked again. */
    private static final Duration MOMENT = Duration.ofMillis(300);

    /** So many commands of ours mean that it has asked several times: each time takes a few. */
    private static final long POLLED = 12;

    @Parameter
    PeerKind kind;

    @TempDir
    Path directory;

    private final List<RedisServer> servers = new ArrayList<>();
    private DistributedLockFactory factory;
    private DistributedLock ours;
    private Peer peer;
    private String ports;

    @BeforeEach
    void start(TestReporter reporter) {
        for (int i = 0; i < kind.servers(); i++) {
            servers.add(RedisServer.start());
        }
        ports = servers.stream().map(server -> Integer.toString(server.port())).collect(Collectors.joining(","));
        peer = kind.start(ports, "peer", directory.resolve("history"), reporter);
        factory = kind.wire.factory(ports);
        ours = factory.getLock(PeerWire.NAME);
    }

    @AfterEach
    void stop() {
        if (factory != null) {
            factory.close();
        }
        if (peer != null) {
            peer.close();
        }
        servers.forEach(RedisServer::close);
    }

    /** Returns the value that a majority of the servers has. */
    private @Nullable Object word() {
        Map<Object, Integer> votes = new HashMap<>();
        for (RedisServer server : servers) {
            Object value = server.command("GET", kind.wire.key());
            if (value != null && votes.merge(value, 1, Integer::sum) > servers.size() / 2) {
                return value;
            }
        }
        return null;
    }

    private long left() {
        return servers.stream()
                .mapToLong(server -> (Long) server.command("PTTL", kind.wire.key()))
                .max()
                .orElseThrow();
    }

    /** How often each server was asked about a key, which is how a client waits. */
    private long asked() {
        long calls = servers.stream()
                .map(RedisServer::commandStats)
                .mapToLong(all -> Stream.of("get", "set", "exists")
                        .mapToLong(command -> all.getOrDefault(command, 0L))
                        .sum())
                .sum();
        return calls / servers.size();
    }

    /** Asks in this thread, which is the holder of a lock of Spring's. */
    private void peerGetsTheLock() {
        long from = System.nanoTime();
        while (!peer.acquire(LONG, MOMENT)) {
            assertThat(System.nanoTime() - from).isLessThan(PATIENCE.toNanos());
        }
    }

    private FutureTask<?> weWait() {
        return start(() -> {
            ours.lock();
            ours.unlock();
        });
    }

    private static FutureTask<?> start(Runnable wait) {
        FutureTask<?> waiter = new FutureTask<>(wait, null);
        Thread thread = new Thread(waiter, "waiter");
        thread.setDaemon(true);
        thread.start();
        return waiter;
    }

    private static void wait(FutureTask<?> waiter) throws Exception {
        waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    @Shown({Property.EXCLUSION, Property.WAKE_UP})
    void whatAPeerHoldsWeDoNotGetUntilItIsReleased() throws Exception {
        assertThat(peer.acquire(LONG, Duration.ZERO)).isTrue();
        Object theirs = word();
        assertThat(PeerFormat.of(String.valueOf(theirs)))
                .as("whose value it looks like")
                .contains(kind.format);
        assertThat(ours.tryLock()).isFalse();
        assertThat(ours.tryLock(MOMENT.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
        long before = asked();
        FutureTask<?> waiter = weWait();
        await().atMost(PATIENCE).until(() -> asked() >= before + POLLED);
        if (kind.offers(Property.EXTENSION)) {
            assertThat(peer.extend(LONG)).isTrue();
        }
        assertThat(word()).as("left as it was").isEqualTo(theirs);
        assertThat(waiter.isDone()).isFalse();
        assertThat(peer.release()).isTrue();
        wait(waiter);
    }

    @Test
    @Shown(Property.WAKE_UP)
    void whoWaitsAsItDoesByItselfGetsWhatWeRelease() throws Exception {
        assumeTrue(kind.offers(Property.WAKE_UP), kind.title + " never waits");
        DistributedLock held = factory.getLock(
                PeerWire.NAME, LockOptions.builder().lease(LONG).renewal(false).build());
        held.lock();
        Object mine = word();
        long before = asked();
        // A waiter that is woken by messages asks by itself only after this lease.
        FutureTask<?> waiter = start(() -> peer.lock(LONG));
        await().atMost(PATIENCE).until(() -> waiter.isDone() || asked() >= before + kind.wakeUp.asks);
        assertThat(waiter.isDone()).isFalse();
        assertThat(word()).as("left as it was").isEqualTo(mine);
        held.unlock();
        wait(waiter);
    }

    @Test
    @Shown(Property.EXCLUSION)
    void whatWeHoldAPeerDoesNotGetUntilItIsReleased() {
        ours.lock();
        Object mine = word();
        assertThat(peer.acquire(LONG, Duration.ZERO)).isFalse();
        assertThat(peer.acquire(LONG, MOMENT)).isFalse();
        assertThat(word()).as("left as it was").isEqualTo(mine);
        ours.unlock();
        peerGetsTheLock();
        assertThat(ours.tryLock()).isFalse();
    }

    @Test
    @Shown(Property.EXPIRY)
    void whatAKilledProcessOfAPeerHeldWeGetWhenItExpires(TestReporter reporter) throws Exception {
        try (ClientProcess killed = kind.process(ports, "killed", directory.resolve("killed"), reporter)) {
            assertThat(killed.acquire(OF_THE_DEAD, PATIENCE)).isTrue();
        }
        wait(weWait());
    }

    @Test
    @Shown(Property.EXPIRY)
    void whatAKilledProcessOfOursHeldAPeerGetsWhenItExpires() {
        try (ClientProcess killed =
                LockProcess.start(Make.OURS, kind.wire, ports, "killed", directory.resolve("killed"))) {
            assertThat(killed.acquire(OF_THE_DEAD, PATIENCE)).isTrue();
        }
        peerGetsTheLock();
    }

    @Test
    @Shown({Property.EXPIRY, Property.RELEASE})
    void whatWeHeldAPeerGetsWhenItExpiresAndKeepsWhenWeRelease() {
        DistributedLock notRenewed = factory.getLock(
                PeerWire.NAME, LockOptions.builder().lease(SHORT).renewal(false).build());
        notRenewed.lock();
        peerGetsTheLock();
        Object theirs = word();
        assertThat(theirs).isNotNull();
        assertThatThrownBy(notRenewed::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(word()).isEqualTo(theirs);
        assertThat(left()).isPositive();
        assertThat(peer.release()).isTrue();
        await().atMost(PATIENCE).until(() -> word() == null);
    }

    @Test
    @Shown({Property.EXPIRY, Property.RELEASE})
    void whatAPeerHeldWeGetAndKeepWhenThePeerReleases() {
        assertThat(peer.acquire(SHORT, Duration.ZERO)).isTrue();
        ours.lock();
        Object mine = word();
        boolean released = peer.release();
        assertThat(word()).isEqualTo(mine);
        assertThat(released).isEqualTo(!kind.tellsLosses());
        if (kind.offers(Property.EXTENSION)) {
            assertThat(peer.extend(LONG)).isFalse();
            assertThat(word()).isEqualTo(mine);
        }
        ours.unlock();
    }

    @Test
    @Shown(Property.EXTENSION)
    void bothSidesExtendWhatTheyHold() {
        assumeTrue(kind.offers(Property.EXTENSION), kind.title + " has no call for it");
        assertThat(peer.acquire(SHORT.multipliedBy(10), Duration.ZERO)).isTrue();
        assertThat(peer.extend(LONG)).isTrue();
        assertThat(left()).isGreaterThan(SHORT.multipliedBy(10).toMillis());
        assertThat(peer.release()).isTrue();
        Duration lease = Duration.ofSeconds(6);
        DistributedLock renewed = factory.getLock(
                PeerWire.NAME, LockOptions.builder().lease(lease).build());
        renewed.lock();
        await().atMost(PATIENCE).until(() -> left() < lease.toMillis() * 3 / 4);
        await().atMost(PATIENCE).until(() -> left() > lease.toMillis() * 3 / 4);
        assertThat(peer.acquire(LONG, Duration.ZERO)).isFalse();
        renewed.unlock();
    }

    @Test
    @Shown(Property.MIXED_LOAD)
    void twoProcessesOfEachLoseNoUpdateUnderLoad(TestReporter reporter) {
        List<Path> files = Stream.of("ours-1", "ours-2", "theirs-1", "theirs-2")
                .map(name -> directory.resolve(name + ".jsonl"))
                .toList();
        try (ClientProcess first = LockProcess.start(Make.OURS, kind.wire, ports, "ours-1", files.get(0));
                ClientProcess second = LockProcess.start(Make.OURS, kind.wire, ports, "ours-2", files.get(1));
                ClientProcess third = kind.process(ports, "theirs-1", files.get(2), reporter);
                ClientProcess fourth = kind.process(ports, "theirs-2", files.get(3), reporter)) {
            List<Long> counts = new SharedCounter(servers.get(0)).count(List.of(first, second, third, fourth), LOAD);
            reporter.publishEntry("interlock.peers.pairs", "two of ours, two of " + kind.title + ": " + counts);
        }
        PeerHistories.judge(files);
    }
}
