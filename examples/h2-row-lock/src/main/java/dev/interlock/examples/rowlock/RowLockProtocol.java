// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.rowlock;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.h2.jdbcx.JdbcConnectionPool;

/**
 * The lock is a row with its owner and the end of the lease. Each step is one statement, which the database carries out
 * while it holds the row; the database's clock alone says whether a lease has ended.
 */
final class RowLockProtocol implements LeaseProtocol {
    private static final String TABLE = "CREATE TABLE IF NOT EXISTS interlock (name VARCHAR PRIMARY KEY,"
            + " owner VARCHAR, ends TIMESTAMP(9) WITH TIME ZONE, fence BIGINT NOT NULL)";
    private static final String ROW =
            "INSERT INTO interlock SELECT ?, NULL, NULL, 0 WHERE NOT EXISTS (SELECT 1 FROM interlock WHERE name = ?)";

    /** The fencing tokens go up in the same step, but not if a request that was answered is repeated. */
    private static final String ACQUIRE = "SELECT fence FROM FINAL TABLE (UPDATE interlock SET"
            + " fence = CASE WHEN owner = ? THEN fence ELSE fence + ? END,"
            + " ends = DATEADD(MILLISECOND, ?, CURRENT_TIMESTAMP(9)), owner = ?"
            + " WHERE name = ? AND (owner IS NULL OR owner = ? OR ends <= CURRENT_TIMESTAMP(9)))";

    private static final String RENEW = "UPDATE interlock SET ends = DATEADD(MILLISECOND, ?, CURRENT_TIMESTAMP(9))"
            + " WHERE name = ? AND owner = ? AND ends > CURRENT_TIMESTAMP(9)";
    private static final String RELEASE = "UPDATE interlock SET owner = NULL, ends = NULL"
            + " WHERE name = ? AND owner = ? AND ends > CURRENT_TIMESTAMP(9)";
    private static final String LEFT = "SELECT DATEDIFF(MILLISECOND, CURRENT_TIMESTAMP(9), ends)"
            + " FROM interlock WHERE name = ? AND ends > CURRENT_TIMESTAMP(9)";

    private static final int CONNECTIONS = 8;
    private static final int DUPLICATE_KEY = 23505;

    private final JdbcConnectionPool pool;

    /** JDBC reads from its sockets on the thread of the call, and an interrupt of a virtual thread would close them. */
    private final ExecutorService threads = Executors.newFixedThreadPool(
            CONNECTIONS, task -> Environment.system().newThread("h2-row", task));

    private final String prefix;
    private final Duration timeout;

    RowLockProtocol(String url, LockConfig config) {
        // Otherwise a silent network would keep the threads for ever.
        String bounded = url + ";NETWORK_TIMEOUT=" + config.commandTimeout().toMillis();
        this.pool = JdbcConnectionPool.create(bounded + ";INIT=" + TABLE, "sa", "");
        // The length comes first, so that no prefix and name together equal another prefix and name.
        this.prefix = config.keyPrefix().length() + ":" + config.keyPrefix() + ":";
        this.timeout = config.commandTimeout();
        pool.setMaxConnections(CONNECTIONS);
    }

    /** Something to do with a connection. */
    private interface Work<T> {
        T with(Connection connection) throws SQLException;
    }

    private <T> T call(Duration timeout, Work<T> work) {
        try {
            // What has not begun when the time is over is left out.
            return CompletableFuture.supplyAsync(() -> callHere(work), threads)
                    .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
                    .join();
        } catch (RejectedExecutionException e) {
            throw new LockBackendException(Reason.UNREACHABLE, "the client is closed", e);
        } catch (CompletionException e) {
            if (e.getCause() instanceof TimeoutException) {
                throw new LockBackendException(
                        Reason.OUTCOME_UNKNOWN, "the database did not answer within " + timeout, e);
            }
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
    }

    private <T> T callHere(Work<T> work) {
        Reason reason = Reason.UNREACHABLE;
        try (Connection connection = pool.getConnection()) {
            reason = Reason.OUTCOME_UNKNOWN;
            return work.with(connection);
        } catch (SQLException e) {
            throw new LockBackendException(reason, "the database cannot be reached, or did not confirm a statement", e);
        }
    }

    private static PreparedStatement prepare(Connection connection, String sql, Object... parameters)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
        return statement;
    }

    private static int update(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql, parameters)) {
            return statement.executeUpdate();
        }
    }

    /** Returns the number in the row that a statement finds, if it finds one. */
    private static Optional<Long> number(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql, parameters);
                ResultSet result = statement.executeQuery()) {
            return result.next() ? Optional.of(result.getLong(1)) : Optional.empty();
        }
    }

    private String row(String name) {
        return prefix + name;
    }

    @Override
    public Attempt attempt(Claim claim) {
        String row = row(claim.name());
        String token = claim.token();
        int fences = claim.fences();
        long millis = claim.lease().toMillis();
        try {
            return call(claim.timeout(), connection -> {
                addRow(connection, row);
                Optional<Long> last = number(connection, ACQUIRE, token, fences, millis, token, row, token);
                return last.isPresent()
                        ? new Attempt.Granted(validity(claim), OptionalLong.of(last.get() - fences + 1))
                        : new Attempt.Refused(left(connection, claim.name()));
            });
        } catch (LockBackendException e) {
            return new Attempt.Failed(e);
        }
    }

    private static void addRow(Connection connection, String row) throws SQLException {
        try {
            update(connection, ROW, row, row);
        } catch (SQLException e) {
            // Somebody else has added it meanwhile.
            if (e.getErrorCode() != DUPLICATE_KEY) {
                throw e;
            }
        }
    }

    /** Returns the rest of the holder's lease, if there is a holder. */
    private Optional<Duration> left(Connection connection, String name) throws SQLException {
        return number(connection, LEFT, row(name)).map(millis -> Duration.ofMillis(Math.max(0, millis)));
    }

    @Override
    public List<Renewal> renew(List<Claim> claims) {
        return claims.stream().map(this::renew).toList();
    }

    private Renewal renew(Claim claim) {
        try {
            return changed(claim, RENEW, claim.lease().toMillis(), row(claim.name()), claim.token())
                    .<Renewal>map(Renewal.Lost::new)
                    .orElseGet(() -> new Renewal.Renewed(validity(claim)));
        } catch (LockBackendException e) {
            return new Renewal.Failed(e);
        }
    }

    @Override
    public Release release(Claim claim) {
        return changed(claim, RELEASE, row(claim.name()), claim.token())
                .<Release>map(Release.Lost::new)
                .orElseGet(() -> new Release.Freed(true));
    }

    @Override
    public boolean isLocked(String name) {
        return call(timeout, connection -> left(connection, name).isPresent());
    }

    /** Changes the row of a lock that is held, or tells why it is not held any more. */
    private Optional<LossCause> changed(Claim claim, String sql, Object... parameters) {
        return call(claim.timeout(), connection -> {
            if (update(connection, sql, parameters) == 1) {
                return Optional.empty();
            }
            return Optional.of(left(connection, claim.name()).isPresent() ? LossCause.TAKEN : LossCause.GONE);
        });
    }

    /** Returns the rest of a lease if the database's clock runs 1 % faster than ours. */
    private static Duration validity(Claim claim) {
        return claim.lease().minus(claim.lease().dividedBy(100)).minusMillis(2);
    }

    @Override
    public Watch watch(String name, Runnable onFreed) {
        return Watch.NONE;
    }

    @Override
    public void close() {
        threads.shutdown();
        pool.dispose();
    }
}
