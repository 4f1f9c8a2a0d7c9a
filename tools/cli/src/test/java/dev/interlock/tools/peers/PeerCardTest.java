// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.testservers.RedisServer;
import dev.interlock.tools.conformance.Rule;
import dev.interlock.tools.lab.play.LabFault;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the report says of the locks of other libraries, before they are used. */
class PeerCardTest {
    @Test
    void theVersionsInUseAreThoseOfTheBuild() {
        assertThat(Versions.inUse())
                .containsEntry("redisson", Versions.of("redisson"))
                .containsEntry("spring-integration-redis", Versions.of("spring-integration"))
                .containsEntry("shedlock-provider-redis-spring", Versions.of("shedlock"))
                .containsKeys("jedis", "lettuce-core", "spring-data-redis")
                .allSatisfy(
                        (library, version) -> assertThat(version).as(library).matches("\\d.*"));
    }

    @Test
    void whatIsDocumentedOfEachSaysWhereAndWhatWasFoundSaysWhatShowsIt() {
        List<String> rules = Rule.OF_PLAIN_LOCKS.stream().map(Rule::id).toList();
        List<String> faults = Arrays.stream(LabFault.values()).map(LabFault::id).toList();

        assertThat(Peers.all()).allSatisfy(peer -> {
            assertThat(peer.card().documentedLimits())
                    .isNotEmpty()
                    .allSatisfy(limit -> assertThat(limit.url()).startsWith("https://"));
            assertThat(peer.card().findings()).isNotEmpty().allSatisfy(finding -> {
                assertThat(finding.rules().size() + finding.faults().size()).isPositive();
                assertThat(rules).containsAll(finding.rules());
                assertThat(faults).containsAll(finding.faults());
            });
        });
    }

    @Test
    void theSettingsOfEachAreThoseThatItsClientHas() {
        LockConfig config = LockConfig.builder()
                .endpoints("redis://localhost")
                .commandTimeout(Duration.ofMillis(1_234))
                .lockDefaults(
                        LockOptions.builder().lease(Duration.ofMillis(43_210)).build())
                .build();

        assertThat(Peers.all())
                .allSatisfy(peer -> assertThat(peer.configuration(config))
                        .containsValues("1234 ms", "43210 ms")
                        .allSatisfy((name, value) -> assertThat(value)
                                .as(name)
                                .isNotEmpty()
                                .doesNotContain("default", "the lease", "as it comes")));
        assertThat(Peers.all().get(0).configuration(config))
                .containsEntry("lockWatchdogTimeout", "43210 ms")
                .containsEntry("timeout", "1234 ms")
                .containsKeys("retryAttempts", "retryDelay", "connectionPoolSize");
    }

    /** Else it would be no fair comparison to say that it does not renew. */
    @Test
    @Tag("deep")
    @SuppressWarnings("LockNotBeforeTry") // What is shown comes between lock and unlock.
    void aLookAtALockOfShedLockExtendsItAsItsPageSays() {
        PeerProvider shedLock = (PeerProvider) Peers.find("shedlock").orElseThrow();
        String name = "peers-" + UUID.randomUUID();
        String key = "job-lock:interlock-compare:" + name;
        String hour = String.valueOf(Duration.ofHours(1).toMillis());
        try (RedisServer server = RedisServer.start();
                DistributedLockFactory factory = DistributedLocks.getInstance(
                        shedLock,
                        LockConfig.builder()
                                .endpoints(server.uri())
                                .lockDefaults(LockOptions.builder()
                                        .lease(Duration.ofHours(2))
                                        .build())
                                .build())) {
            DistributedLock lock = factory.getLock(name);
            lock.lock();
            assertThat(server.command("PEXPIRE", key, hour)).hasToString("1");

            assertThat(lock.lease().orElseThrow().isValid()).isTrue();

            // LT changes only what would end later.
            assertThat(server.command("PEXPIRE", key, hour, "LT")).hasToString("1");
            lock.unlock();
        }
        assertThat(shedLock.card().sentences("shedlock"))
                .anyMatch(sentence ->
                        sentence.contains("Each look of a holder at its lock in the fault lab extends it by a lease"));
    }
}
