// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** An application with a Spring Boot that is too old is told so. */
class SpringBootVersionCheckTest {
    @ParameterizedTest
    @ValueSource(strings = {"3.5.3", "4.0.0", "4.0.12-SNAPSHOT"})
    void anOlderVersionEndsTheStartAndIsTold(String version) {
        assertThatThrownBy(() -> SpringBootVersionCheck.requireSupported(version))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("needs Spring Boot 4.1 or later, and this application has " + version)
                .hasMessageContaining("DistributedLocks.getInstance");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"4.1.0", "4.10.0", "4.2.0-M1", "5.0.0", "unknown"})
    void aNewerVersionOrOneThatCannotBeReadWillDo(String version) {
        assertThatCode(() -> SpringBootVersionCheck.requireSupported(version)).doesNotThrowAnyException();
    }

    @Test
    void itIsAskedBeforeTheApplicationStarts() {
        assertThat(SpringFactoriesLoader.forDefaultResourceLocation().load(ApplicationContextInitializer.class))
                .hasAtLeastOneElementOfType(SpringBootVersionCheck.class);
    }
}
