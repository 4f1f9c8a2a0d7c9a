// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.Lease;
import dev.interlock.LockConfig;
import dev.interlock.spi.Capability;
import dev.interlock.tools.backends.EmbeddedBackend;
import dev.interlock.tools.backends.Progress;
import dev.interlock.tools.lab.CellVerdict;
import dev.interlock.tools.lab.FaultLab;
import dev.interlock.tools.lab.FaultReport;
import dev.interlock.tools.lab.LabCell;
import dev.interlock.tools.lab.evidence.Moment;
import dev.interlock.tools.lab.play.Contestant;
import dev.interlock.tools.lab.play.LabFault;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Lock;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("LockNotBeforeTry") // What is shown comes between lock and unlock.
class PeersTest {
    private static EmbeddedBackend backend;

    @BeforeAll
    static void startServers() {
        backend = EmbeddedBackend.start(5);
    }

    @AfterAll
    static void stopServers() {
        backend.close();
    }

    static List<PeerProvider> peers() {
        return Peers.all();
    }

    private static DistributedLockFactory open(PeerProvider peer) {
        String endpoints =
                peer.profile().servers().usual() == 1 ? backend.servers().get(0).uri() : backend.endpoints();
        return DistributedLocks.getInstance(
                peer, LockConfig.builder().endpoints(endpoints).build());
    }

    @ParameterizedTest
    @MethodSource("peers")
    @Tag("deep")
    void aHeldLockIsRefusedToAnotherClientUntilItIsFreed(PeerProvider peer) throws Exception {
        String name = "peers-" + UUID.randomUUID();
        try (DistributedLockFactory one = open(peer);
                DistributedLockFactory other = open(peer)) {
            DistributedLock lock = one.getLock(name);
            lock.lock();
            Lease lease = lock.lease().orElseThrow();
            assertThat(lease.isValid()).isTrue();
            assertThat(lease.fencingToken().isPresent())
                    .isEqualTo(peer.profile().supports(Capability.FENCING));
            assertThat(CompletableFuture.supplyAsync(() -> other.getLock(name).tryLock())
                            .get())
                    .isFalse();

            lock.unlock();

            assertThat(lease.isValid()).isFalse();
            assertThat(lock.lease()).isEmpty();
            DistributedLock others = other.getLock(name);
            others.lock();
            others.unlock();
        }
    }

    @ParameterizedTest
    @MethodSource("peers")
    @Tag("deep")
    void aHolderWhoseLockIsGoneSeesItWhereItsLibraryLetsItLook(PeerProvider peer) {
        boolean canLook = !peer.name().equals("redisson-redlock");
        try (DistributedLockFactory factory = open(peer)) {
            DistributedLock lock = factory.getLock("peers-" + UUID.randomUUID());
            lock.lock();
            Lease lease = lock.lease().orElseThrow();

            backend.servers().forEach(server -> server.command("FLUSHALL"));

            assertThat(lease.isValid()).isEqualTo(!canLook);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"spring-spin", "spring-pubsub"})
    @Tag("deep")
    void theRegistryOfSpringTellsOfALossByAnExceptionAtUnlock(String name) {
        LockConfig config = LockConfig.of(backend.servers().get(0).uri());
        try (PeerClient client = peer(name).connect(config)) {
            Lock lock = client.lock("peers-" + UUID.randomUUID());
            lock.lock();

            backend.servers().get(0).command("FLUSHALL");

            assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
        }
    }

    private static PeerProvider peer(String name) {
        return Peers.all().stream()
                .filter(it -> it.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void thePageAboutFencingSaysWhichLocksHaveTokens() throws IOException {
        List<String> rows = Files.readString(Path.of("../../docs/fencing.md"))
                .lines()
                .filter(line -> line.matches("\\| .* \\| (?:yes|no)\\b.*\\|"))
                .toList();
        Map<Pattern, Boolean> locks = new HashMap<>();
        DistributedLocks.strategies().stream()
                .filter(provider -> !provider.name().startsWith("test-"))
                .forEach(provider -> locks.put(
                        Pattern.compile("`" + provider.name() + "`"),
                        provider.profile().supports(Capability.FENCING)));
        Peers.all()
                .forEach(peer -> locks.put(
                        Pattern.compile(
                                "\\b(?:" + peer.card().title().replaceAll("^(?:Redisson|Spring) |,.*", "") + ")\\b"),
                        peer.profile().supports(Capability.FENCING)));

        assertThat(locks).hasSizeGreaterThan(8);
        locks.forEach((lock, hasTokens) -> assertThat(
                        rows.stream().filter(row -> lock.matcher(row).find()))
                .as(lock.pattern())
                .singleElement()
                .asString()
                .contains(hasTokens ? "| yes" : "| no "));
    }

    @Test
    @Tag("deep")
    void eachIsPutUnderFaultsAsItself() {
        FaultReport report;
        try (Progress progress = Progress.on(
                new PrintWriter(new StringWriter()), "peers", Peers.all().size())) {
            report = new FaultLab(Duration.ofSeconds(2), 1, List.of(LabFault.KILLED))
                    .run(Contestant.peers(Peers.all()), progress);
        }

        assertThat(report.strategies()).hasSameSizeAs(Peers.all()).allSatisfy(row -> {
            LabCell cell = row.cells().get(0);
            assertThat(cell.verdict()).as("%s: %s", row.label(), cell).isEqualTo(CellVerdict.SAFE);
            assertThat(cell.evidence().timeline().stream()
                            .filter(entry -> entry.what() == Moment.What.GRANTED)
                            .map(entry -> entry.token() != null))
                    .as("which grants of %s have a token", row.label())
                    .isNotEmpty()
                    .containsOnly(row.capabilities().contains(Capability.FENCING));
        });
    }

    /**
     * Without that, one rule of the kit would leave a thread that takes a processor, and memory, from all that come
     * after.
     */
    @Test
    @Tag("deep")
    void aRedLockThatRetriesForEverEndsWithItsClient() throws Exception {
        PeerProvider peer = peer("redisson-redlock");
        LockConfig config = LockConfig.builder().endpoints(backend.endpoints()).build();
        String name = "peers-" + UUID.randomUUID();
        try (PeerClient holder = peer.connect(config)) {
            holder.lock(name).lock();
            PeerClient other = peer.connect(config);
            Lock waited = other.lock(name);
            CompletableFuture<Throwable> end = new CompletableFuture<>();
            CountDownLatch begins = new CountDownLatch(1);
            new Thread(() -> {
                        Thread.currentThread().interrupt();
                        begins.countDown();
                        try {
                            waited.lock();
                            end.completeExceptionally(new AssertionError("the lock was granted"));
                        } catch (Throwable e) {
                            end.complete(e);
                        }
                    })
                    .start();
            begins.await();
            other.close();

            assertThat(end.get()).isInstanceOf(Error.class).hasMessageContaining("closed");
        }
    }

    @Test
    void serversThatBelongTogetherAreRefusedBeforeAnythingIsConnected() {
        LockConfig config =
                LockConfig.builder().endpoints("redis-cluster://127.0.0.1:1").build();

        assertThat(Peers.all())
                .isNotEmpty()
                .allSatisfy(peer -> assertThatExceptionOfType(IllegalArgumentException.class)
                        .isThrownBy(() -> DistributedLocks.getInstance(peer, config))
                        .withMessageContaining("single servers only"));
    }

    @Test
    void eachNamesItsArtifactItsVersionAndItsLimits() {
        assertThat(Peers.all()).allSatisfy(peer -> {
            assertThat(peer.card().artifact()).contains(":");
            assertThat(peer.card().version()).matches("\\d.*");
            assertThat(peer.card().limits()).isNotEmpty();
        });
    }
}
