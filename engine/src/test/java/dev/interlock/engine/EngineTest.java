// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyProfile;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The base of the engine's tests: a virtual environment, a server in memory, and any number of factories. */
public abstract class EngineTest {
    protected static final String NAME = "invoice:42";
    protected static final Duration LEASE = Duration.ofSeconds(30);
    static final StrategyProfile PROFILE = new StrategyProfile("in memory", Set.of(Capability.SEVERAL_NAMES), Set.of());

    protected final VirtualEnvironment env = new VirtualEnvironment();
    protected final InMemoryServer server = new InMemoryServer(env);
    protected final Person ann = env.person("ann");
    protected final Person bob = env.person("bob");
    protected final Person cleo = env.person("cleo");

    private final List<Jvm> jvms = new ArrayList<>();
    private final Logger logger = Logger.getLogger("dev.interlock.engine");
    private final LogCapture log = new LogCapture();

    /** A factory that stands for a process of its own. */
    public record Jvm(LockEngine engine, InMemoryProtocol protocol) {
        public DistributedLock lock() {
            return engine.getLock(NAME);
        }

        public DistributedLock lock(LockOptions options) {
            return engine.getLock(NAME, options);
        }
    }

    protected Jvm jvm() {
        return jvm(config -> config);
    }

    protected Jvm jvm(UnaryOperator<LockConfig.Builder> settings) {
        InMemoryProtocol protocol = new InMemoryProtocol(env, server);
        LockConfig config = settings.apply(LockConfig.builder().endpoints("redis://localhost"))
                .build();
        Jvm jvm = new Jvm((LockEngine) LockEngine.newFactory("memory", PROFILE, protocol, config, env), protocol);
        jvms.add(jvm);
        return jvm;
    }

    protected static LockOptions lease(Duration lease) {
        return LockOptions.builder().lease(lease).build();
    }

    public static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    protected static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }

    protected List<String> logged() {
        return log.lines;
    }

    @BeforeEach
    void listenToTheLog() {
        log.setLevel(Level.ALL);
        logger.setLevel(Level.ALL);
        logger.setUseParentHandlers(false);
        logger.addHandler(log);
    }

    @AfterEach
    void nothingIsLeftBehind() {
        logger.removeHandler(log);
        logger.setLevel(null);
        logger.setUseParentHandlers(true);
        jvms.forEach(jvm -> jvm.protocol.heal());
        // Enough time for background work, and not enough for a lease to end.
        env.advance(seconds(10));
        for (Jvm jvm : jvms) {
            assertThat(jvm.engine.core().cells().size()).as("cells in use").isZero();
            assertThat(jvm.protocol.breaches()).isEmpty();
            jvm.engine.close();
        }
        env.close();
        assertThat(env.threads()).as("threads").isEmpty();
        assertThat(server.listeners()).as("listeners").isZero();
        assertThat(server.places()).as("places").isZero();
        assertThat(log.lines).noneMatch(line -> line.contains("secret#"));
    }

    /** Keeps the log messages, with their stack traces. */
    private static final class LogCapture extends Handler {
        private final List<String> lines = new CopyOnWriteArrayList<>();

        @Override
        public void publish(LogRecord entry) {
            StringWriter text = new StringWriter();
            text.write(entry.getLevel() + " " + entry.getMessage());
            if (entry.getThrown() != null) {
                entry.getThrown().printStackTrace(new PrintWriter(text));
            }
            lines.add(text.toString());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
