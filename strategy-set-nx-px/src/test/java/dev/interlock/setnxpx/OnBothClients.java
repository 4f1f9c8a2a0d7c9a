// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs each test with each client library, on a server of its own. */
@ParameterizedClass
@ValueSource(strings = {"jedis", "lettuce"})
abstract class OnBothClients {
    @Parameter
    String client;

    Fixture redis;

    @BeforeEach
    void startServer() {
        redis = new Fixture(client);
    }

    @AfterEach
    void stopServer() {
        redis.close();
    }
}
