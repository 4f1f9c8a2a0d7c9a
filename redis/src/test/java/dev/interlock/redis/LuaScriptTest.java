// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LuaScriptTest {
    @Test
    void aQuotedTextIsALiteralInPrintableCharacters() {
        assertThat(LuaScript.quote("")).isEqualTo("''");
        assertThat(LuaScript.quote("registry-channel:")).isEqualTo("'registry-channel:'");
        assertThat(LuaScript.quote("a'b\\c\n1\0é~\u007f\"")).isEqualTo("'a\\039b\\092c\\0101\\000\\195\\169~\\127\"'");
    }
}
