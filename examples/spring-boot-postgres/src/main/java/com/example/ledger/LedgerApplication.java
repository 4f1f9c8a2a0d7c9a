// SPDX-License-Identifier: Apache-2.0
package com.example.ledger;

import java.time.Clock;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;

/** Keeps accounts, on several nodes. */
@SpringBootApplication(proxyBeanMethods = false)
@EnableScheduling
public class LedgerApplication {
    /**
     * Starts a node.
     *
     * @param args settings, such as {@code --spring.datasource.url=…}
     */
    public static void main(String[] args) {
        SpringApplication.run(LedgerApplication.class, args);
    }

    @Bean
    Clock clock() {
        return Clock.systemUTC();
    }
}
