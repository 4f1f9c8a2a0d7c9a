// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.lettuce;

import dev.interlock.redis.client.Login;
import io.lettuce.core.api.StatefulConnection;
import java.util.Optional;

/** A connection and the credentials it was logged in with; empty if they are unknown or none were needed. */
record LettuceSession<C extends StatefulConnection<String, String>>(C connection, Optional<Login> login) {
    /** Returns whether its credentials expire soon. */
    boolean isExpiring(long nanoTime) {
        return login.filter(it -> it.isDue(nanoTime)).isPresent();
    }
}
