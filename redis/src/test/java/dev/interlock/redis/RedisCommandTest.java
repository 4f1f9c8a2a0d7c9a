// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisCommandTest {
    private static String encoded(RedisCommand command) {
        return new String(command.encoded(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 9, 10, 11, 99, 100, 12_345})
    void eachPartIsSentBehindItsLengthInBytes(int length) {
        String argument = "x".repeat(length);

        assertThat(encoded(RedisCommand.of("GET", argument)))
                .isEqualTo("*2\r\n$3\r\nGET\r\n$" + length + "\r\n" + argument + "\r\n");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 9, 98, 99})
    void theNumberOfPartsComesFirst(int arguments) {
        String[] none = new String[arguments];
        Arrays.fill(none, "");

        assertThat(encoded(RedisCommand.of("DEL", none)))
                .isEqualTo("*" + (arguments + 1) + "\r\n$3\r\nDEL\r\n" + "$0\r\n\r\n".repeat(arguments));
    }

    @Test
    void textIsSentInUtf8() {
        assertThat(encoded(RedisCommand.of("GET", "schlüssel-鍵")))
                .isEqualTo("*2\r\n$3\r\nGET\r\n$14\r\nschlüssel-鍵\r\n");
    }

    @Test
    void aScriptIsSentByItsDigestAndInFullWhereThatIsAskedFor() {
        LuaScript script = LuaScript.of("return KEYS[1]");
        RedisCommand command = RedisCommand.script(script, List.of("key"), List.of("a", "b"));
        String rest = "$1\r\n1\r\n$3\r\nkey\r\n$1\r\na\r\n$1\r\nb\r\n";

        assertThat(encoded(command)).isEqualTo("*6\r\n$7\r\nEVALSHA\r\n$40\r\n" + script.sha1() + "\r\n" + rest);
        assertThat(encoded(command.inFull())).isEqualTo("*6\r\n$4\r\nEVAL\r\n$14\r\nreturn KEYS[1]\r\n" + rest);
    }
}
