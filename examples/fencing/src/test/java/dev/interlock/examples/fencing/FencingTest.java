// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.fencing;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A late writer and the statements for H2, MySQL and Redis. */
class FencingTest {
    private static LateWriter late;

    @BeforeAll
    static void start() {
        late = new LateWriter();
    }

    @AfterAll
    static void stop() {
        late.close();
    }

    /** An account in a database of its own, in memory. */
    private static Account account(String dialect, String url) throws SQLException {
        DataSource database = JdbcConnectionPool.create(url + ";DB_CLOSE_DELAY=-1", "", "");
        SqlAccount.execute(database, FencingPage.statement(dialect + ": table"));
        SqlAccount.execute(database, "INSERT INTO account (id, balance) VALUES (" + SqlAccount.ID + ", 0)");
        return new SqlAccount(database, FencingPage.statement(dialect + ": update"));
    }

    @Test
    void h2RefusesIt() throws Exception {
        late.assertIsRefusedBy(account("h2", "jdbc:h2:mem:fencing"));
    }

    @Test
    void theStatementForMySqlRefusesIt() throws Exception {
        late.assertIsRefusedBy(account("mysql", "jdbc:h2:mem:mysql;MODE=MySQL"));
    }

    @Test
    void redisRefusesIt() throws Exception {
        String script = FencingPage.statement("redis: update");
        late.assertIsRefusedBy(new Account() {
            @Override
            public boolean setBalance(long token, long balance) {
                return Long.valueOf(1)
                        .equals(late.server.command(
                                "EVAL", script, "1", "account", Long.toString(token), Long.toString(balance)));
            }

            @Override
            public long balance() {
                return Long.parseLong((String) late.server.command("HGET", "account", "balance"));
            }
        });
    }

    @Test
    void aTokenBelow2ToThe53IsComparedExactlyByRedis() {
        String script = FencingPage.statement("redis: update");
        long largest = (1L << 53) - 1;
        List<Object> answers = List.of(largest, largest - 1, largest).stream()
                .map(token -> late.server.command("EVAL", script, "1", "exact", Long.toString(token), "0"))
                .toList();
        assertThat(answers).containsExactly(1L, 0L, 1L);
    }
}
