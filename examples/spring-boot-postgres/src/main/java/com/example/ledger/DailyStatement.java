// SPDX-License-Identifier: Apache-2.0
package com.example.ledger;

import dev.interlock.spring.Locked;
import java.time.Clock;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** A job that every node starts at each tick, and that one node runs. */
@Service
public class DailyStatement {
    private static final String IS_DONE = "SELECT count(*) FROM statement_run WHERE tick = :tick";
    private static final String DONE = "INSERT INTO statement_run (tick, node) VALUES (:tick, :node)";

    private final JdbcClient database;
    private final Clock clock;
    private final String node;

    DailyStatement(JdbcClient database, Clock clock, @Value("${ledger.node:node}") String node) {
        this.database = database;
        this.clock = clock;
        this.node = node;
    }

    /**
     * Runs the job, unless another node runs it or has run it. A node that finds the lock taken tries again at the next
     * tick.
     */
    @Scheduled(cron = "${ledger.statement.cron}")
    @Locked(value = "daily-statement", waitTime = "0", onTaken = Locked.OnTaken.SKIP)
    @Transactional
    public void run() {
        // Ticks are on whole seconds, and a node may wake a little after.
        OffsetDateTime tick =
                OffsetDateTime.now(clock).withOffsetSameInstant(ZoneOffset.UTC).truncatedTo(ChronoUnit.SECONDS);
        long done = database.sql(IS_DONE).param("tick", tick).query(Long.class).single();
        if (done > 0) {
            return;
        }
        // The work itself comes here, in the same transaction.
        database.sql(DONE).param("tick", tick).param("node", node).update();
    }
}
