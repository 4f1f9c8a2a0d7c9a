// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.fencing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** An account in a table, changed by a statement of the page. */
record SqlAccount(DataSource database, String change) implements Account {
    static final long ID = 42;
    private static final Pattern PARAMETER = Pattern.compile(":(\\w+)");

    /** Executes a statement with named parameters, and returns how many rows it changed. */
    static int execute(Connection connection, String statement, Map<String, Object> parameters) throws SQLException {
        try (PreparedStatement prepared =
                connection.prepareStatement(PARAMETER.matcher(statement).replaceAll("?"))) {
            Matcher matcher = PARAMETER.matcher(statement);
            for (int index = 1; matcher.find(); index++) {
                prepared.setObject(index, parameters.get(matcher.group(1)));
            }
            return prepared.executeUpdate();
        }
    }

    static void execute(DataSource database, String statement) throws SQLException {
        try (Connection connection = database.getConnection()) {
            execute(connection, statement, Map.of());
        }
    }

    @Override
    public boolean setBalance(long token, long balance) throws SQLException {
        try (Connection connection = database.getConnection()) {
            return execute(connection, change, Map.of("id", ID, "token", token, "balance", balance)) > 0;
        }
    }

    @Override
    public long balance() throws SQLException {
        try (Connection connection = database.getConnection();
                ResultSet row =
                        connection.createStatement().executeQuery("SELECT balance FROM account WHERE id = " + ID)) {
            row.next();
            return row.getLong(1);
        }
    }
}
