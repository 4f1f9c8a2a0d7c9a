// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.rowlock;

import dev.interlock.LockConfig;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.spi.LockStrategyProvider;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.h2.tools.Server;

/** A database of its own for each rule, on one server that other processes reach too. */
final class DatabaseHarness implements LockHarness {
    private static final Server SERVER = start();
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private final String url = "jdbc:h2:tcp://localhost:" + SERVER.getPort() + "/mem:kit" + DATABASES.incrementAndGet()
            + ";DB_CLOSE_DELAY=5";

    private static Server start() {
        try {
            return Server.createTcpServer("-tcpPort", "0", "-tcpDaemon", "-ifNotExists")
                    .start();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public LockStrategyProvider provider() {
        return new RowLockProvider();
    }

    @Override
    public LockConfig config() {
        return LockConfig.builder()
                .option("url", url)
                .commandTimeout(Duration.ofSeconds(4))
                .build();
    }

    @Override
    public boolean reachableFromOtherProcesses() {
        return true;
    }
}
