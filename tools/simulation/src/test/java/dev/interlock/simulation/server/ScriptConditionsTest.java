// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is a condition of a script, and that a script with calls around its conditions is the same otherwise. */
class ScriptConditionsTest {
    private static final String SCRIPT = """
            #!lua flags=no-writes
            -- if this and that then
            local mine = holder == word or holder == word .. MARK
            if (mine and f(a, 'x and y')) or
              not g[h and 1 or 2] then
              return {mine and 1 or 0, string.gsub(t, '%w', function(c) return is(c) and '' or nil end)}
            elseif x ~= nil then
              while n < 3 do n = n + 1 end
              for _, k in pairs(x and y or z) do count(k) end
            end
            """;

    private static List<String> texts(ScriptConditions conditions) {
        return IntStream.range(0, conditions.count())
                .mapToObj(number -> conditions.line(number) + ": " + conditions.text(number))
                .toList();
    }

    @Test
    void aConditionStandsBeforeAndOrOrOrAtTheEndOfIfAndWhile() {
        assertThat(texts(ScriptConditions.of(SCRIPT)))
                .containsExactly(
                        "3: holder == word",
                        "4: (mine and f(a, 'x and y'))",
                        "4: mine",
                        "5: not g[h and 1 or 2]",
                        "5: h",
                        "6: mine",
                        "6: is(c)",
                        "7: x ~= nil",
                        "8: n < 3",
                        "9: x",
                        "9: y");
    }

    @Test
    void whatIsLeftWithoutTheCallsIsTheScript() {
        String calling = ScriptConditions.of(SCRIPT).calling("__met", 7);

        assertThat(calling).contains("local mine = __met(7, holder == word) or holder == word .. MARK\n");
        assertThat(calling.lines()).hasSameSizeAs(SCRIPT.lines().toList());
        assertThat(calling.replaceAll("__met\\(\\d+, ", "").replace(")", "")).isEqualTo(SCRIPT.replace(")", ""));
    }
}
