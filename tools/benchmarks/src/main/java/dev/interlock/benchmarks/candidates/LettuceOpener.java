// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.net.URI;
import java.util.List;
import java.util.Map;

/** Opens Lettuce clients with a {@link SpinLock}, whose threads share one connection. */
public final class LettuceOpener implements Opener {
    @Override
    public LockClient open(List<URI> endpoints, Terms terms, Map<String, String> options) {
        RedisClient client = RedisClient.create(endpoints.get(0).toString());
        RedisCommands<String, String> redis = client.connect().sync();
        SpinLock.Commands commands = new SpinLock.Commands() {
            @Override
            public boolean setIfAbsent(String key, String token, long leaseMillis) {
                return redis.set(key, token, SetArgs.Builder.nx().px(leaseMillis)) != null;
            }

            @Override
            public void deleteIfEqual(String key, String token) {
                redis.eval(SpinLock.DELETE, ScriptOutputType.INTEGER, new String[] {key}, token);
            }
        };
        return new LockClient(name -> new SpinLock(commands, name, terms.lease()), client::shutdown);
    }
}
