// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockBackendException;
import dev.interlock.engine.EngineTest;
import dev.interlock.engine.InMemoryProtocol;
import dev.interlock.engine.InMemoryProtocol.Verb;
import dev.interlock.engine.RequestFault;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The default implementation of {@link LeaseProtocol#releaseAll}, and the time-outs of claims. */
class ReleaseAllTest extends EngineTest {
    private final InMemoryProtocol protocol = new InMemoryProtocol(env, server);
    private final List<Claim> claims =
            Stream.of("first", "second", "third").map(this::taken).toList();

    private Claim taken(String name) {
        Claim claim = new Claim(name, "token of " + name, LEASE, seconds(1), 1);
        assertThat(server.attempt(protocol, claim)).isInstanceOf(Attempt.Granted.class);
        return claim;
    }

    private List<String> held() {
        return claims.stream()
                .map(Claim::name)
                .filter(name -> !server.isFree(name))
                .toList();
    }

    @Test
    void allAreReleasedAndOthersLocksAreNot() {
        taken("another");
        server.steal("second", LEASE);
        protocol.releaseAll(claims);
        assertThat(held()).containsExactly("second");
        assertThat(server.isFree("another")).isFalse();
    }

    @Test
    void aRefusalOfOneDoesNotKeepTheOthersAndIsThrownInTheEnd() {
        protocol.next(Verb.RELEASE, RequestFault.refused(), RequestFault.none(), RequestFault.refused());
        assertThatThrownBy(() -> protocol.releaseAll(claims))
                .isInstanceOfSatisfying(
                        LockBackendException.class,
                        e -> assertThat(e.reason()).isEqualTo(LockBackendException.Reason.REFUSED));
        assertThat(held()).containsExactly("first", "third");
    }

    @Test
    void nothingIsSentToABackendThatDoesNotAnswer() {
        protocol.next(Verb.RELEASE, RequestFault.refused(), RequestFault.lostRequest());
        assertThatThrownBy(() -> protocol.releaseAll(claims))
                .isInstanceOfSatisfying(
                        LockBackendException.class,
                        e -> assertThat(e.reason())
                                .as("of the first failure")
                                .isEqualTo(LockBackendException.Reason.REFUSED));
        assertThat(protocol.calls(Verb.RELEASE)).isEqualTo(2);
        assertThat(held()).containsExactly("first", "second", "third");
    }

    @Test
    void allLocksShareALaneUnlessTheProtocolSaysOtherwise() {
        assertThat(protocol.lane("first")).isEqualTo(protocol.lane("second"));
    }

    @Test
    void requestsOfTheEngineWaitForACommandTimeout() {
        Jvm jvm = jvm(config -> config.commandTimeout(millis(700)));
        jvm.lock().lock();
        jvm.lock().unlock();
        assertThat(jvm.protocol().attempted())
                .isNotEmpty()
                .allSatisfy(claim -> assertThat(claim.timeout()).isEqualTo(millis(700)));
    }

    @Test
    void aClaimKeepsAllElseWithAnotherTimeoutOrLease() {
        Claim claim = new Claim(NAME, new OwnerToken("token"), LEASE, seconds(1), 3, 7, true, true);
        Claim quicker = claim.withTimeout(millis(5)).withLease(seconds(2));
        assertThat(quicker.timeout()).isEqualTo(millis(5));
        assertThat(quicker.lease()).isEqualTo(seconds(2));
        assertThat(quicker)
                .usingRecursiveComparison()
                .ignoringFields("timeout", "lease")
                .isEqualTo(claim);
    }
}
