// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A late writer and the statements for PostgreSQL, on a real server. */
@Tag("deep")
class PostgresFencingTest {
    private static final String ROW = "INSERT INTO account (id, balance) VALUES (" + SqlAccount.ID + ", 0)";

    private static LateWriter late;
    private static EmbeddedPostgres postgres;
    private static DataSource database;

    /** PostgreSQL refuses to run as root, but for the root of a namespace of its own. */
    private static boolean mayRun() throws Exception {
        return !System.getProperty("user.name").equals("root")
                || new ProcessBuilder("unshare", "-U", "true").start().waitFor() == 0;
    }

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(mayRun(), "absent: postgresql: it does not run as root, and this machine allows no user namespaces");
        late = new LateWriter();
        postgres = EmbeddedPostgres.start();
        database = postgres.getPostgresDatabase();
        SqlAccount.execute(database, FencingPage.statement("postgresql: table"));
        SqlAccount.execute(database, FencingPage.statement("postgresql: fences"));
    }

    @AfterAll
    static void stop() throws IOException {
        if (postgres != null) {
            postgres.close();
            late.close();
        }
    }

    private static void begin(String row) throws SQLException {
        SqlAccount.execute(database, "TRUNCATE account, fence");
        if (!row.isEmpty()) {
            SqlAccount.execute(database, row);
        }
    }

    @Test
    void aGuardedUpdateRefusesIt() throws Exception {
        begin(ROW);
        late.assertIsRefusedBy(new SqlAccount(database, FencingPage.statement("postgresql: update")));
    }

    @Test
    void aGuardedInsertRefusesIt() throws Exception {
        begin("");
        late.assertIsRefusedBy(new SqlAccount(database, FencingPage.statement("postgresql: upsert")));
    }

    /** Changes a row that knows of no token, within a transaction that has passed the fence. */
    private static boolean setBalance(long token, String change) throws SQLException {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            int passed = SqlAccount.execute(
                    connection,
                    FencingPage.statement("postgresql: pass the fence"),
                    Map.of("lock", "account:42", "token", token));
            if (passed == 0) {
                connection.rollback();
                return false;
            }
            SqlAccount.execute(connection, change, Map.of());
            connection.commit();
            return true;
        }
    }

    @Test
    void aFenceRefusesItBeforeItChangesAnything() throws Exception {
        begin(ROW);
        SqlAccount reader = new SqlAccount(database, "");
        late.assertIsRefusedBy(new Account() {
            @Override
            public boolean setBalance(long token, long balance) throws SQLException {
                return PostgresFencingTest.setBalance(token, "UPDATE account SET balance = " + balance);
            }

            @Override
            public long balance() throws SQLException {
                return reader.balance();
            }
        });
    }

    /**
     * Each transaction that passed counts itself and notes its token; one that a smaller token followed would show in
     * the notes.
     */
    @Test
    void transactionsOfManyHoldersPassTheFenceInTheOrderOfTheirTokens() throws Exception {
        begin(ROW);
        SqlAccount.execute(database, "CREATE TABLE note (position bigserial, token bigint NOT NULL)");
        int tokens = 200;
        ExecutorService writers = Executors.newFixedThreadPool(8);
        try {
            List<Callable<Boolean>> writes = new ArrayList<>();
            for (long token = 1; token <= tokens; token++) {
                // Out of order, as late writers are.
                long mine = (token * 37) % tokens + 1;
                writes.add(() -> setBalance(mine, "INSERT INTO note (token) VALUES (" + mine + ")"));
            }
            int passed = 0;
            for (Future<Boolean> write : writers.invokeAll(writes, 60, TimeUnit.SECONDS)) {
                passed += write.get() ? 1 : 0;
            }
            List<Long> noted = new ArrayList<>();
            try (Connection connection = database.getConnection();
                    ResultSet rows =
                            connection.createStatement().executeQuery("SELECT token FROM note ORDER BY position")) {
                while (rows.next()) {
                    noted.add(rows.getLong(1));
                }
            }
            assertThat(noted).hasSize(passed).isSorted().endsWith((long) tokens);
        } finally {
            writers.shutdownNow();
        }
    }
}
