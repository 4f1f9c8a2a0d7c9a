// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.testservers.RedisServer;
import dev.interlock.tools.site.CodeBlock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the commands of the pages that take seconds, need no network and change nothing, as the pages have them, with
 * servers of the test in place of those that the page makes up. It takes a minute. Each other command is listed with
 * the reason why it is not run, and what does the same; that list is checked in seconds, by the fast leg too.
 */
class PageCommandsRunTest {
    /** How many commands in blocks are not run; it may only go down. */
    private static final int MOST_NOT_RUN = 66;

    private static final int MOST_TRIES = 50;

    /** The commands that are run, with their exit codes. */
    private static final Map<String, Integer> RUN = Map.ofEntries(
            Map.entry("./interlock strategies", 0),
            Map.entry("./interlock wires", 0),
            Map.entry(
                    "./interlock faults --strategy set-nx-px --fault killed,flushall --histories target/histories", 0),
            Map.entry("./interlock simulate --seed 7 --trace", 0),
            Map.entry("./interlock simulate --without no-failover --seeds 200", 1),
            Map.entry("./interlock simulate --mutant renew-extends-nothing", 1),
            Map.entry("./interlock simulate --mutant owner-tokens-repeat", 1),
            Map.entry("./interlock locks list --redis redis://cache.example.com", 0),
            Map.entry("./interlock locks show invoice:42 --redis …", 0),
            Map.entry("./interlock locks deadlocks --redis …", 0),
            Map.entry("./interlock locks release invoice:42 --force --redis …", 0),
            Map.entry(
                    "./interlock locks show orders --wire plain --wire-prefix app: --redis redis://cache.example.com",
                    0),
            Map.entry("./interlock redlock status --endpoints redis://a:6379,redis://b:6379,redis://c:6379", 0),
            Map.entry(
                    "jcmd <pid> JFR.start name=locks settings=default +dev.interlock.Acquisition#enabled=true"
                            + " +dev.interlock.Hold#enabled=true",
                    0),
            Map.entry("jcmd <pid> JFR.dump name=locks filename=locks.jfr", 0),
            Map.entry("jfr print --events 'dev.interlock.*' locks.jfr", 0));

    private static final String TUTORIAL = "TutorialTest runs it, or does the same";

    /** What the commands begin with that are not run, by the reason. */
    private static final Map<String, List<String>> NOT_RUN = notRun();

    private static Map<String, List<String>> notRun() {
        Map<String, List<String>> reasons = new LinkedHashMap<>();
        reasons.put(
                "another build with Maven; the build that runs this test does the same, or its other legs do",
                List.of("mvn "));
        reasons.put(
                "takes from ten minutes to hours; MainTest, FaultsCommandTest, BenchCommandTest and ScaleCommandTest run"
                        + " the same with less to do",
                List.of(
                        "./interlock compare",
                        "./interlock faults #all",
                        "./interlock faults --strategy redlock",
                        "./interlock faults --strategy set-nx-px --option client=lettuce",
                        "./interlock bench",
                        "./interlock scale"));
        reasons.put(
                "runs thousands of seeds; SimulationTest does",
                List.of(
                        "./interlock simulate --seeds 2000",
                        "./interlock simulate --strategy",
                        "./interlock simulate --coverage"));
        reasons.put(
                "needs servers at these addresses; TopologiesTest runs the same", List.of("./interlock conformance"));
        reasons.put("waits for half a minute; RedlockCommandTest runs it", List.of("./interlock redlock replace"));
        reasons.put("goes on until it is stopped; LocksCommandTest runs it", List.of("./interlock locks watch"));
        reasons.put(
                "shows what the server at the default address has; the same is run with an address",
                List.of("./interlock locks show invoice:42 #default"));
        reasons.put("needs jq, which not everybody has", List.of("diff <(verdicts"));
        reasons.put(
                "releases a version; ReleaseTest and .ci/release-check test what it does",
                List.of(".ci/", "git commit", "git tag", "git push", "git checkout", "sha256sum"));
        reasons.put(
                "needs the application of the page; SpringBootPageTest runs that and asks for the same addresses",
                List.of("redis-server #default", "java -jar target/invoices", "curl "));
        reasons.put(
                "needs what a later module of the build compiles; the tests of examples/java run the same programs",
                List.of("java -cp \"examples/java/target/classes"));
        reasons.put(
                "leaves files in the folder of the specification; the tests of spec run all models",
                List.of("cd spec/redlock", "java -cp ~/.m2/"));
        return reasons;
    }

    @TempDir
    Path directory;

    /** A command, where it stands, and whether it has a block of its own. */
    private record Command(String place, String text, boolean inBlock) {
        boolean isOfTutorial() {
            return place.startsWith("docs/tutorial.md:") && inBlock;
        }

        /** A prefix with {@code #} stands for a command that has nothing behind it. */
        boolean beginsWith(String prefix) {
            return prefix.contains(" #") ? text.equals(prefix.replaceFirst(" #.*", "")) : text.startsWith(prefix);
        }
    }

    private static List<Command> commands() throws IOException {
        List<Command> commands = new ArrayList<>();
        for (CodeBlock block : CodeBlock.all(Path.of("../.."))) {
            for (String command : PageCommandsTest.commands(block)) {
                commands.add(
                        new Command(block.place(), command, !block.language().equals(CodeBlock.SPAN)));
            }
        }
        return commands;
    }

    @Test
    void everyCommandInABlockIsRunOrItIsSaidWhyNot() throws IOException {
        List<Command> inBlocks = commands().stream().filter(Command::inBlock).toList();
        Map<String, List<Command>> byReason = new LinkedHashMap<>();
        List<Command> silent = new ArrayList<>();
        for (Command command : inBlocks) {
            if (command.isOfTutorial()) {
                byReason.computeIfAbsent(TUTORIAL, reason -> new ArrayList<>()).add(command);
            } else if (!RUN.containsKey(command.text())) {
                NOT_RUN.entrySet().stream()
                        .filter(reason -> reason.getValue().stream().anyMatch(command::beginsWith))
                        .findFirst()
                        .ifPresentOrElse(
                                reason -> byReason.computeIfAbsent(reason.getKey(), it -> new ArrayList<>())
                                        .add(command),
                                () -> silent.add(command));
            }
        }
        assertThat(silent)
                .as("commands that this test knows nothing of: run them, or say why not")
                .isEmpty();
        assertThat(NOT_RUN.values().stream().flatMap(List::stream))
                .as("what the commands begin with")
                .allSatisfy(prefix -> assertThat(inBlocks).as(prefix).anyMatch(command -> command.beginsWith(prefix)));
        byReason.forEach((reason, commands) -> {
            System.out.println(commands.size() + " commands of pages, not run here: " + reason);
            commands.forEach(command -> System.out.println("  " + command.place() + ": " + command.text()));
        });
        int left = byReason.entrySet().stream()
                .filter(reason -> !reason.getKey().equals(TUTORIAL))
                .mapToInt(reason -> reason.getValue().size())
                .sum();
        assertThat(left).as("commands that are not run").isLessThanOrEqualTo(MOST_NOT_RUN);
    }

    @Test
    @Tag("deep")
    void theCommandsRunAsThePagesHaveThem() throws Exception {
        PageShell shell = new PageShell(directory);
        List<String> wrong = new ArrayList<>();
        List<String> run = new ArrayList<>();
        List<RedisServer> servers =
                IntStream.range(0, 4).mapToObj(i -> RedisServer.start()).toList();
        try (DistributedLockFactory locks = DistributedLocks.getInstance(
                        "set-nx-px", LockConfig.of(servers.get(0).uri()));
                DistributedLockFactory redlock = DistributedLocks.getInstance(
                        "redlock",
                        // Otherwise new nodes vote when the longest lease is over, a minute later.
                        LockConfig.of(servers.stream()
                                        .skip(1)
                                        .map(RedisServer::uri)
                                        .collect(Collectors.joining(",")))
                                .toBuilder()
                                .option("cold-start", "trust")
                                .build())) {
            // The card of its factory names the process; it is written at once for a long lease that nobody renews.
            LockHandle handle = locks.getLock(
                            "invoice:42",
                            LockOptions.builder()
                                    .lease(Duration.ofMinutes(30))
                                    .renewal(false)
                                    .build())
                    .acquire();
            await("the card of the factory").until(() -> hasCard(servers.get(0)));
            acquire(redlock.getLock("invoice:42"));
            for (Command command : commands()) {
                Integer expected = RUN.get(command.text());
                if (expected != null && !run.contains(command.text())) {
                    run.add(command.text());
                    PageShell.Outcome outcome = shell.run(substituted(command.text(), servers), "y\n");
                    if (outcome.exit() != expected) {
                        wrong.add(command.place() + ": " + command.text() + ": exit code " + outcome.exit() + "\n"
                                + outcome.text());
                    }
                    if (command.text().contains("locks show invoice:42")) {
                        assertThat(outcome.text())
                                .contains(
                                        "invoice:42",
                                        String.valueOf(ProcessHandle.current().pid()));
                    }
                }
            }
            assertThatThrownBy(handle::close)
                    .as("the lock was released in place of its holder")
                    .isInstanceOf(LeaseLostException.class);
            assertThat(shell.run(substituted("jcmd <pid> JFR.stop name=locks", servers), "")
                            .exit())
                    .isZero();
        } finally {
            servers.forEach(RedisServer::close);
        }
        assertThat(wrong).as("commands that did not end as they should").isEmpty();
        assertThat(run).containsExactlyInAnyOrderElementsOf(RUN.keySet());
    }

    private static boolean hasCard(RedisServer server) {
        return !((List<?>) Objects.requireNonNull(server.command("KEYS", "*:factory:*"))).isEmpty();
    }

    /** New nodes vote when all of them have been seen once; until then there is no majority. */
    private static void acquire(DistributedLock lock) {
        for (int tries = 1; ; tries++) {
            try {
                lock.lock();
                return;
            } catch (LockBackendException e) {
                if (tries == MOST_TRIES) {
                    throw e;
                }
            }
        }
    }

    /** The command with this JVM, a file and servers of this test in place of what the page makes up. */
    private String substituted(String command, List<RedisServer> servers) {
        String first = servers.get(0).uri();
        String text = command.replace("redis://cache.example.com", first)
                .replace("--redis …", "--redis " + first)
                .replace("<pid>", String.valueOf(ProcessHandle.current().pid()))
                .replace("locks.jfr", directory.resolve("locks.jfr").toString());
        for (String name : List.of("a", "b", "c")) {
            text = text.replace(
                    "redis://" + name + ":6379",
                    servers.get(1 + "abc".indexOf(name)).uri());
        }
        return text;
    }
}
