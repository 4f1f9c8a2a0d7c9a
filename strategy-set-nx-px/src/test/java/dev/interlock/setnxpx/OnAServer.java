// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;

/** Gives each test a server of its own. */
abstract class OnAServer {
    @Parameter
    protected String client;

    protected Fixture redis;

    @BeforeEach
    void startServer() {
        redis = new Fixture(client);
    }

    @AfterEach
    void stopServer() {
        redis.close();
    }
}
