// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each script of the strategies is among those that are compared with a real server. */
class RandomCommandsTest {
    private static final List<String> MODULES =
            List.of("redis", "strategy-set-nx-px", "strategy-setnx-getset", "strategy-redlock");

    /**
     * Parts of scripts that are made for the server or the format of a factory, so that no class holds them: for a
     * cluster, and for locks whose release is announced to programs of other makers.
     */
    private static final Set<String> MADE_LATER =
            Set.of("sharded-channels.lua", "announce.lua", "announced-freeing.lua", "free-unwaited-announced.lua");

    @Test
    void aScriptOfWhichNoCallIsDrawnIsFound() throws ReflectiveOperationException {
        Map<String, String> sources = new TreeMap<>(RealScripts.all());
        assertThat(RandomCommands.unknown(sources)).isEmpty();

        sources.put("lockscripts.shred", "return redis.call('DEL', KEYS[1])");
        assertThat(RandomCommands.unknown(sources)).containsExactly("lockscripts.shred");
        assertThatThrownBy(() -> new RandomCommands(1, sources)).hasMessageContaining("lockscripts.shred");
    }

    /** Otherwise a class that holds scripts could be missing. */
    @Test
    void eachFileOfTheStrategiesIsAPartOfAScriptThatIsKnown() throws Exception {
        List<String> sources =
                RandomCommands.scripts().stream().map(RealScripts.all()::get).toList();
        List<String> missing = new ArrayList<>();
        int found = 0;
        for (String module : MODULES) {
            for (Path file : files(Path.of("../..", module, "src/main/resources"))) {
                found++;
                String text = Files.readString(file);
                if (!MADE_LATER.contains(file.getFileName().toString())
                        && sources.stream().noneMatch(source -> source.contains(text))) {
                    missing.add(file.toString());
                }
            }
        }
        assertThat(missing)
                .as("scripts that are not compared with a real server")
                .isEmpty();
        assertThat(found).isGreaterThan(40);
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(file -> file.toString().endsWith(".lua")).sorted().toList();
        }
    }
}
