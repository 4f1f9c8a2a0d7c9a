// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.network;

import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.RedisNode;
import dev.interlock.simulation.time.VirtualMachine;
import dev.interlock.simulation.time.VirtualTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The subscription connection of one client, and the thread that hands its messages on. */
final class SimulatedSubscriptions implements SimulatedServer.Subscriber {
    private static final long RETRY_NANOS = 100_000_000;

    private final VirtualTime time;
    private final VirtualMachine machine;
    private final SimulatedServer server;
    private final MessageDelays delays;
    private final SimulationObserver observer;
    private final Map<String, Channel> channels = new LinkedHashMap<>();
    private final Deque<Runnable> inbox = new ArrayDeque<>();
    private @Nullable Line line;
    private @Nullable Thread reader;
    private boolean connecting;
    private boolean closed;
    private boolean dead;

    /** A channel with those who listen to it. */
    private static final class Channel {
        private final List<RedisNode.Listener> listeners = new ArrayList<>();
        private boolean confirmed;
    }

    SimulatedSubscriptions(
            VirtualTime time,
            VirtualMachine machine,
            SimulatedServer server,
            MessageDelays delays,
            SimulationObserver observer) {
        this.time = time;
        this.machine = machine;
        this.server = server;
        this.delays = delays;
        this.observer = observer;
    }

    Watch subscribe(String name, RedisNode.Listener listener) {
        Channel channel = channels.computeIfAbsent(name, key -> new Channel());
        channel.listeners.add(listener);
        if (reader == null) {
            reader = machine.newThread("subscriptions", this::read);
            reader.start();
        }
        Line present = line;
        if (present == null) {
            connect(0);
        } else if (channel.confirmed) {
            hand(listener::begun);
        } else {
            ask(present, name);
        }
        return new Watch() {
            @Override
            public boolean isListening() {
                return channel.confirmed;
            }

            @Override
            public void close() {
                channel.listeners.remove(listener);
                if (channel.listeners.isEmpty() && channels.remove(name, channel)) {
                    Line used = line;
                    if (used != null) {
                        time.at(used.arrival(time.now() + delays.delay()), () -> leave(name));
                    }
                }
            }
        };
    }

    private void leave(String name) {
        if (!channels.containsKey(name)) {
            server.unsubscribe(name, this);
        }
    }

    private void connect(long nanos) {
        if (connecting || closed) {
            return;
        }
        connecting = true;
        time.in(nanos + delays.delay() * 2, () -> {
            connecting = false;
            if (closed || dead || line != null) {
                return;
            }
            if (!server.isUp()) {
                connect(RETRY_NANOS);
                return;
            }
            Line opened = new Line(server.process());
            line = opened;
            channels.keySet().forEach(name -> ask(opened, name));
        });
    }

    private void ask(Line over, String name) {
        time.at(
                over.arrival(time.now() + delays.delay()),
                () -> server.receive(
                        over.process,
                        model -> {
                            if (over.deaf) {
                                return List.of();
                            }
                            server.subscribe(name, this);
                            return List.of("subscribed");
                        },
                        replies -> {
                            if (!replies.isEmpty()) {
                                time.at(over.returned(time.now() + delays.delay()), () -> confirm(over, name));
                            }
                        }));
    }

    private void confirm(Line over, String name) {
        Channel channel = channels.get(name);
        if (over == line && channel != null && !channel.confirmed) {
            channel.confirmed = true;
            observer.note(machine.name(), "listens to its channel");
            List.copyOf(channel.listeners).forEach(listener -> hand(listener::begun));
        }
    }

    @Override
    public void send(String channel, String text) {
        Line over = line;
        if (over == null || over.mute) {
            return;
        }
        time.at(over.returned(time.now() + delays.delay()), () -> {
            Channel to = channels.get(channel);
            if (over == line && to != null && !over.mute) {
                List.copyOf(to.listeners).forEach(listener -> hand(() -> listener.message(text)));
            }
        });
    }

    /** Ends the connection; the client notices it after a while. */
    void cut(long noticedAfter) {
        Line over = line;
        if (over == null || over.mute) {
            return;
        }
        over.deaf = true;
        over.mute = true;
        channels.keySet().forEach(name -> server.unsubscribe(name, this));
        time.in(noticedAfter, () -> {
            if (over == line) {
                line = null;
                channels.values().forEach(channel -> {
                    if (channel.confirmed) {
                        channel.confirmed = false;
                        observer.faultHadEffect("subscription-cut");
                        List.copyOf(channel.listeners).forEach(listener -> hand(listener::ended));
                    }
                });
                connect(0);
            }
        });
    }

    boolean isSubscribed(String name) {
        Channel channel = channels.get(name);
        return channel != null && channel.confirmed;
    }

    /** The process has died; the server notices it after a while. */
    void die(long noticedAfter) {
        dead = true;
        List<String> left = List.copyOf(channels.keySet());
        time.in(noticedAfter, () -> left.forEach(name -> server.unsubscribe(name, this)));
    }

    void close() {
        closed = true;
        if (!dead) {
            channels.keySet().forEach(name -> server.unsubscribe(name, this));
        }
        channels.clear();
        line = null;
        Thread reading = reader;
        if (reading != null) {
            machine.unpark(reading);
        }
    }

    private void hand(Runnable news) {
        inbox.add(news);
        Thread reading = reader;
        if (reading != null) {
            machine.unpark(reading);
        }
    }

    private void read() {
        while (!closed) {
            Runnable news = inbox.poll();
            if (news == null) {
                machine.park(this, Long.MAX_VALUE);
            } else {
                news.run();
            }
        }
    }
}
