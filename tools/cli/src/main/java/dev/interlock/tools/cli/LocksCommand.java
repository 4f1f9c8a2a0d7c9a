// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.redis.inspect.LockParty;
import dev.interlock.tools.backends.Messages;
import dev.interlock.tools.backends.ToolException;
import dev.interlock.tools.locks.Deadlocks;
import dev.interlock.tools.locks.LockOverview;
import dev.interlock.tools.locks.LockTexts;
import dev.interlock.tools.locks.LocksJson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** Shows operators who holds which lock, and who waits for it. */
@Command(
        name = "locks",
        description =
                "Shows who holds which lock and who waits for it, on servers that programs use. Owner tokens are never shown.",
        synopsisSubcommandLabel = "COMMAND")
final class LocksCommand {
    /** A long time-out: people look at locks when a server is slow, and nothing else waits for the answer. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final String PLAIN = "plain";

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--redis",
            scope = ScopeType.INHERIT,
            paramLabel = "URI",
            defaultValue = "redis://localhost",
            description =
                    "the servers, as the programs name them: redis://..., rediss://..., redis-cluster://... or redis-sentinel://...;"
                            + " of redlock all of them, separated by commas (default: ${DEFAULT-VALUE})")
    private String redis = "";

    @Option(
            names = "--strategy",
            scope = ScopeType.INHERIT,
            paramLabel = "STRATEGY",
            description = "only locks of this strategy (default: of all that can run on these servers)")
    private @Nullable String strategy;

    @Option(
            names = "--prefix",
            scope = ScopeType.INHERIT,
            paramLabel = "PREFIX",
            defaultValue = "interlock",
            description = "the key prefix of the programs (default: ${DEFAULT-VALUE})")
    private String prefix = "";

    @Option(
            names = "--wire",
            scope = ScopeType.INHERIT,
            paramLabel = "WIRE",
            defaultValue = "interlock",
            description =
                    "interlock, or plain if the programs share the keys of their locks with clients of other makes, whose locks"
                            + " are shown too (default: ${DEFAULT-VALUE})")
    private String wire = "";

    @Option(
            names = "--wire-prefix",
            scope = ScopeType.INHERIT,
            paramLabel = "PREFIX",
            description = "with --wire plain, the text before the name of a lock in its key")
    private @Nullable String wirePrefix;

    @Option(
            names = "--wire-suffix",
            scope = ScopeType.INHERIT,
            paramLabel = "SUFFIX",
            description = "with --wire plain, the text after the name of a lock in its key")
    private @Nullable String wireSuffix;

    @Option(
            names = "--wire-announce",
            scope = ScopeType.INHERIT,
            paramLabel = "CHANNEL",
            description = "with --wire plain, the channel on which the programs announce that a lock is free")
    private @Nullable String wireAnnounce;

    @Option(names = "--json", scope = ScopeType.INHERIT, description = "print JSON instead of tables")
    private boolean json;

    @Command(description = "Lists all locks that are held.")
    int list() {
        return with(locks -> {
            show(locks.all());
            return ExitCodes.OK;
        });
    }

    @Command(description = "Shows all that is known of a lock: its holder, and those who wait, in order.")
    int show(@Parameters(paramLabel = "NAME", description = "the name of the lock") String name) {
        return with(locks -> {
            List<LockOverview.Found> found = locks.find(name);
            print(json ? LocksJson.locks(found) : LockTexts.details(name, found));
            if (found.isEmpty() && !wire.equals(PLAIN)) {
                lookAtPlainKey(name);
            }
            return ExitCodes.OK;
        });
    }

    /** Whoever asks for a lock that other programs share need not know how ours share it. */
    private void lookAtPlainKey(String name) {
        try (LockOverview plain = open(PLAIN)) {
            for (LockOverview.Found found : plain.find(name)) {
                String note = found.lock().note();
                spec.commandLine()
                        .getErr()
                        .println("interlock: the key \"" + LockTexts.printable(name) + "\" itself is "
                                + (note.isEmpty() ? "held by a program with wire=plain" : note)
                                + "; --wire plain shows it");
            }
        } catch (LockBackendException e) {
            // It may be anything, such as a list.
        }
    }

    @Command(description = "Shows factories that wait for each other in a circle.")
    int deadlocks() {
        return with(locks -> {
            List<List<Deadlocks.Wait>> circles = Deadlocks.among(
                    locks.all().stream().map(LockOverview.Found::lock).toList());
            print(json ? LocksJson.circles(circles) : LockTexts.circles(circles));
            return ExitCodes.OK;
        });
    }

    @Command(description = "Lists all locks again and again.")
    int watch(
            @Option(
                            names = "--every",
                            paramLabel = "SECONDS",
                            defaultValue = "2",
                            description = "the time between two lists (default: ${DEFAULT-VALUE})")
                    int seconds,
            @Option(
                            names = "--times",
                            paramLabel = "NUMBER",
                            defaultValue = "0",
                            description = "how many lists to print; goes on until it is interrupted if left out")
                    int times) {
        if (seconds < 1 || times < 0) {
            throw new ParameterException(spec.commandLine(), "--every must be at least 1, and --times at least 0");
        }
        return with(locks -> {
            showNow(locks);
            for (int i = 1; i != times; i++) {
                try {
                    TimeUnit.SECONDS.sleep(seconds);
                    showNow(locks);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return ExitCodes.OK;
                } catch (LockBackendException | ToolException e) {
                    // A server that cannot be reached for a while is what the user wants to see, and no reason to end.
                    spec.commandLine().getErr().println("interlock: " + Messages.of(e));
                }
            }
            return ExitCodes.OK;
        });
    }

    private void showNow(LockOverview locks) {
        if (!json) {
            print(Instant.now() + "\n");
        }
        show(locks.all());
    }

    @Command(
            description =
                    "Releases a lock in place of its holder, which learns of the loss at its next renewal and may go on until then."
                            + " Asks first.")
    int release(
            @Parameters(paramLabel = "NAME", description = "the name of the lock") String name,
            @Option(names = "--force", required = true, description = "confirms that the holder is to lose the lock")
                    boolean force,
            @Option(names = "--yes", description = "do not ask before the release") boolean yes) {
        return with(locks -> {
            List<LockOverview.Found> all = locks.find(name);
            if (all.isEmpty()) {
                print(LockTexts.details(name, all));
                return ExitCodes.OK;
            }
            if (all.size() > 1) {
                throw new ParameterException(
                        spec.commandLine(),
                        "there are several locks of this name: say with --strategy which is meant, one of "
                                + all.stream().map(LockOverview.Found::strategy).collect(Collectors.joining(", ")));
            }
            return release(locks, all.get(0), yes);
        });
    }

    private int release(LockOverview locks, LockOverview.Found found, boolean yes) {
        PrintWriter err = spec.commandLine().getErr();
        LockParty holder = found.lock().holder();
        err.print(LockTexts.details(found));
        if (!yes && !isConfirmed(err)) {
            err.println("nothing was released");
            return ExitCodes.FAILED;
        }
        boolean released = locks.release(found);
        err.println(Instant.now() + " "
                + (released ? "released" : "did not release, since it has another holder by now or none,")
                + " lock \""
                + LockTexts.printable(found.lock().name()) + "\" of " + LockTexts.who(holder)
                + (holder.factory().isPresent() ? ", claim " + holder.claim() : "")
                + ", as asked by " + System.getProperty("user.name"));
        return released ? ExitCodes.OK : ExitCodes.FAILED;
    }

    private static boolean isConfirmed(PrintWriter err) {
        err.print("The holder may still be at work. Release the lock? [y/N] ");
        err.flush();
        try {
            String answer = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())).readLine();
            return answer != null && answer.strip().equalsIgnoreCase("y");
        } catch (IOException e) {
            return false;
        }
    }

    private int with(ToIntFunction<LockOverview> use) {
        try (LockOverview locks = open(wire)) {
            return use.applyAsInt(locks);
        }
    }

    private LockOverview open(String format) {
        try {
            LockConfig.Builder config =
                    LockConfig.of(redis).toBuilder().keyPrefix(prefix).commandTimeout(PATIENCE);
            config.option("wire", format);
            if (wirePrefix != null) {
                config.option("wire-prefix", wirePrefix);
            }
            if (wireSuffix != null) {
                config.option("wire-suffix", wireSuffix);
            }
            if (wireAnnounce != null) {
                config.option("wire-announce", wireAnnounce);
            }
            PrintWriter err = spec.commandLine().getErr();
            return LockOverview.open(
                    config.build(), Optional.ofNullable(strategy), warning -> err.println("interlock: " + warning));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--redis, --prefix or --wire: " + e.getMessage());
        }
    }

    private void show(List<LockOverview.Found> found) {
        print(json ? LocksJson.locks(found) : LockTexts.table(found));
    }

    private void print(String text) {
        PrintWriter out = spec.commandLine().getOut();
        out.print(text);
        out.flush();
    }
}
