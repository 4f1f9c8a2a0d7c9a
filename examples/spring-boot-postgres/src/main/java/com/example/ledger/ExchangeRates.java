// SPDX-License-Identifier: Apache-2.0
package com.example.ledger;

import java.math.BigDecimal;
import org.springframework.stereotype.Component;

/** Stands for a service that may answer late. */
@Component
public class ExchangeRates {
    /**
     * Returns what one unit of a currency is worth.
     *
     * @param currency the currency
     * @return the rate
     */
    public BigDecimal rate(String currency) {
        return currency.equals("EUR") ? BigDecimal.ONE : new BigDecimal("0.9");
    }
}
