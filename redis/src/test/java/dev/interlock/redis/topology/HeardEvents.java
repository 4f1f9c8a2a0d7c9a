// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology;

import dev.interlock.redis.RedisNode;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records the events of a listener. */
final class HeardEvents implements RedisNode.Listener {
    private final List<String> events = new CopyOnWriteArrayList<>();

    @Override
    public void begun() {
        events.add("begun");
    }

    @Override
    public void ended() {
        events.add("ended");
    }

    @Override
    public void message(String text) {
        events.add("message " + text);
    }

    List<String> all() {
        return List.copyOf(events);
    }

    List<String> states() {
        return events.stream().filter(event -> !event.startsWith("message ")).toList();
    }
}
