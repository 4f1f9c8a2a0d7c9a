// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RedisExecutableTest {
    @Test
    void whereThereIsNoServerTheMessageSaysWhatToDo() {
        assertThat(RedisExecutable.missing("Windows 11", "amd64"))
                .contains("no embedded redis-server for Windows 11 on amd64", "--redis redis://host:port", "WSL");
    }

    @Test
    void theServerIsTakenOutOfItsJarOnce() {
        assertThat(RedisExecutable.path()).isNotEmpty().isEqualTo(RedisExecutable.path());
    }
}
