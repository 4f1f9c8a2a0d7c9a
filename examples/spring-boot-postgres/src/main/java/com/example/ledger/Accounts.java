// SPDX-License-Identifier: Apache-2.0
package com.example.ledger;

import dev.interlock.spring.FencingToken;
import dev.interlock.spring.Locked;
import java.math.BigDecimal;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The accounts, each of which one node changes at a time. */
@Service
public class Accounts {
    private static final String READ = "SELECT balance FROM account WHERE id = :id";

    /** Changes no row that a later holder of the lock has written. */
    private static final String WRITE =
            "UPDATE account SET balance = :balance, fence = :token WHERE id = :id AND fence <= :token";

    private final JdbcClient database;
    private final ExchangeRates rates;

    Accounts(JdbcClient database, ExchangeRates rates) {
        this.database = database;
        this.rates = rates;
    }

    /**
     * Pays money into an account.
     *
     * @param id the account
     * @param amount how much
     * @param currency in which currency
     * @param token given by the annotation; callers pass zero
     * @return the balance
     * @throws StaleTokenException if the lock was lost meanwhile, and the next holder has written
     */
    @Locked("account:#{#id}")
    @Transactional
    public BigDecimal deposit(long id, BigDecimal amount, String currency, @FencingToken long token) {
        BigDecimal before =
                database.sql(READ).param("id", id).query(BigDecimal.class).single();
        // While this is waited for, the node may stand still for longer than its lease.
        BigDecimal after = before.add(amount.multiply(rates.rate(currency)));
        int rows = database.sql(WRITE)
                .param("balance", after)
                .param("token", token)
                .param("id", id)
                .update();
        if (rows == 0) {
            throw new StaleTokenException(id, token);
        }
        return after;
    }
}
