// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.interlock.LockConfig;
import dev.interlock.conformance.certificate.Chapter;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.internal.rules.Stage;
import dev.interlock.conformance.internal.run.CertificateWriter;
import dev.interlock.conformance.memory.MemoryHarness;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.conformance.plain.PlainLocks;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.testkit.engine.EngineTestKit;

/** The certificates that the kit writes about the locks under test. */
class CertificateTest {
    @TempDir
    Path directory;

    /** A lock that nobody can unlock. */
    static final class PlainKit extends PlainLockConformance {
        @Override
        protected PlainLocks locks() {
            return PlainLocks.of(() -> new ReentrantLock() {
                @Override
                public void unlock() {
                    throw new IllegalStateException("a bar | in\nthe \"message\"");
                }
            });
        }

        @Override
        protected String subject() {
            return "a lock / without unlock()";
        }
    }

    static final class MemoryKit extends DistributedLockConformance {
        @Override
        protected LockHarness harness() {
            return new MemoryHarness(new WrongLock("correct"));
        }
    }

    static final class OptionsKit extends DistributedLockConformance {
        @Override
        protected LockHarness harness() {
            LockHarness plain = new MemoryHarness(new WrongLock("correct"));
            return new LockHarness() {
                @Override
                public LockStrategyProvider provider() {
                    return withOptions(plain.provider());
                }

                @Override
                public LockConfig config() {
                    return plain.config().toBuilder()
                            .option("colour", "green")
                            .option("Url", "jdbc:h2:mem:a;PASSWORD=hunter2")
                            .option("pin", "4711")
                            .option("tries", "7")
                            .build();
                }
            };
        }

        private static LockStrategyProvider withOptions(LockStrategyProvider plain) {
            List<StrategyOption> options = List.of(
                    new StrategyOption("colour", "red", "red or green"),
                    new StrategyOption("url", "", "the database"),
                    new StrategyOption("pin", "", "opens the door"),
                    new StrategyOption("tries", "3", "how often to try"),
                    new StrategyOption("patience", "2s", "how long to wait"));
            return (LockStrategyProvider) Proxy.newProxyInstance(
                    LockStrategyProvider.class.getClassLoader(),
                    new Class<?>[] {LockStrategyProvider.class},
                    (proxy, method, args) -> method.getName().equals("options") ? options : method.invoke(plain, args));
        }
    }

    private void run(Class<? extends Stage> kit, String... rules) {
        EngineTestKit.engine("junit-jupiter")
                .selectors(Arrays.stream(kit.getMethods())
                        .filter(method -> Arrays.stream(rules)
                                .anyMatch(it -> method.getName().startsWith(it + "_")))
                        .map(method -> selectMethod(kit, method.getName()))
                        .toArray(DiscoverySelector[]::new))
                .configurationParameter(CertificateWriter.PROPERTY, directory.toString())
                .execute();
    }

    private String read(String file) throws IOException {
        return Files.readString(directory.resolve(file));
    }

    private static Map<String, String> results(JsonObject certificate) {
        Map<String, String> results = new TreeMap<>();
        certificate
                .getAsJsonArray("rules")
                .forEach(rule -> results.put(
                        rule.getAsJsonObject().get("id").getAsString(),
                        rule.getAsJsonObject().get("result").getAsString()));
        return results;
    }

    @Test
    void aPageSaysWhatIsKeptAndBrokenAndSkippedAndWhy() throws IOException {
        run(PlainKit.class, "rule_1_2", "rule_1_3", "rule_1_6", "rule_2_22");
        String page = read("a-lock-without-unlock.md");
        assertThat(page)
                .startsWith("# Conformance of a lock / without unlock()\n")
                .contains("1 rules kept, 1 broken, 2 skipped, ")
                .contains("not run, so this run is incomplete")
                .contains("| Kit | `PlainLockConformance` |")
                .contains("\n- needs several clients: 1.2\n")
                .contains("\n- needs leases that the caller chooses and looks at: 2.22\n")
                .contains("\n- 1.3 a held lock is refused to another thread\n")
                .containsPattern(
                        "\n- 1\\.6 an unlocked lock can be had by another client: .*a bar \\\\\\| in the \"message\".*\n")
                .contains("## Not tested by this kit")
                .contains("- Chapters 6 to " + Chapter.values().length + " of the contract: ")
                .contains(Arrays.stream(Chapter.values())
                        .filter(chapter -> chapter.number() > 5)
                        .map(Chapter::title)
                        .toList());
    }

    @Test
    void programsReadTheSameAsJson() throws IOException {
        run(PlainKit.class, "rule_1_2", "rule_1_3", "rule_1_6", "rule_2_22");
        JsonObject certificate =
                JsonParser.parseString(read("a-lock-without-unlock.json")).getAsJsonObject();
        assertThat(certificate.get("subject").getAsString()).isEqualTo("a lock / without unlock()");
        assertThat(results(certificate))
                .contains(
                        entry("1.2", "SKIPPED"), entry("1.3", "KEPT"), entry("1.6", "BROKEN"), entry("2.22", "SKIPPED"))
                .containsEntry("1.1", "NOT_RUN")
                .containsKey("5.23")
                .doesNotContainKey("6.1");
        assertThat(certificate.getAsJsonObject("versions").keySet())
                .isEqualTo(Set.of("Interlock", "JUnit", "Java", "System"));
        assertThat(certificate.getAsJsonObject("versions").get("JUnit").getAsString())
                .matches("[0-9.]+");
        assertThat(certificate.getAsJsonArray("notTested")).isNotEmpty();
    }

    @Test
    void aStrategyIsCertifiedWithTheOptionsOfTheRunButForValuesThatMayBeSecret() throws IOException {
        run(OptionsKit.class, "rule_1_1", "rule_12_1");
        JsonObject options = JsonParser.parseString(read("OptionsKit.json"))
                .getAsJsonObject()
                .getAsJsonObject("options");
        assertThat(options.entrySet())
                .extracting(option -> option.getKey() + "=" + option.getValue().getAsString())
                .containsExactly(
                        "colour=green", "patience=2s", "pin=(set, not shown)", "tries=7", "url=(set, not shown)");
        assertThat(read("OptionsKit.md"))
                .contains("| Options | `colour=green`, `patience=2s`, `pin=(set, not shown)`, `tries=7`, `url=(set");
        assertThat(read("OptionsKit.md") + read("OptionsKit.json")).doesNotContain("hunter2", "4711");
    }

    @Test
    void aStrategyIsCertifiedForTheWholeContract() throws IOException {
        run(MemoryKit.class, "rule_1_1", "rule_12_1");
        JsonObject certificate = JsonParser.parseString(read("MemoryKit.json")).getAsJsonObject();
        assertThat(results(certificate))
                .hasSize(KitRun.rules().size())
                .contains(entry("1.1", "KEPT"), entry("12.1", "SKIPPED"));
        assertThat(certificate.getAsJsonObject("versions").get("Strategy").getAsString())
                .startsWith("memory");
        assertThat(read("MemoryKit.md"))
                .contains("| Kit | `DistributedLockConformance` |")
                .doesNotContain("Chapters 6");
    }
}
