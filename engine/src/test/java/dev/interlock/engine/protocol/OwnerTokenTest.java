// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class OwnerTokenTest {
    private static final OwnerToken TOKEN = new OwnerToken("secret-", 17);

    @Test
    void theTextIsThePrefixWithTheNumberBehindIt() {
        assertThat(TOKEN.text()).isEqualTo("secret-17");
        assertThat(new OwnerToken("secret-17").text()).isEqualTo("secret-17");
    }

    @Test
    void tokensAreEqualIfTheirTextsAre() {
        OwnerToken whole = new OwnerToken("secret-17");
        assertThat(TOKEN).isEqualTo(whole).hasSameHashCodeAs(whole);
        assertThat(TOKEN).isEqualTo(new OwnerToken("secret-1", 7));
        assertThat(TOKEN).isNotEqualTo(new OwnerToken("secret-", 1));
    }

    @Test
    void aNumberIsPositive() {
        assertThatThrownBy(() -> new OwnerToken("secret-", 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whoPrintsATokenDoesNotSeeIt() {
        assertThat(TOKEN.toString()).doesNotContain("secret").doesNotContain("17");
    }

    @Test
    void allClaimsThatAreMadeFromOneShareItsToken() {
        Duration second = Duration.ofSeconds(1);
        Claim claim = new Claim("name", TOKEN, second, second, 1, 17, true, true);
        assertThat(claim.withLease(Duration.ofMillis(1))
                        .withTimeout(Duration.ofMillis(1))
                        .withCondition("condition")
                        .withHeld(true)
                        .withName("another")
                        .owner())
                .isSameAs(TOKEN);
    }
}
