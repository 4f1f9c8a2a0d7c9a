// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.lettuce;

import dev.interlock.redis.client.Login;
import io.lettuce.core.api.StatefulConnection;
import java.util.Optional;

/** A connection that is logged in, and with what; empty where that is not known or nothing was needed. */
record LettuceSession<C extends StatefulConnection<String, String>>(C connection, Optional<Login> login) {
    /** Whether what it was logged in with expires soon. */
    boolean isExpiring(long nanoTime) {
        return login.filter(it -> it.isDue(nanoTime)).isPresent();
    }
}
