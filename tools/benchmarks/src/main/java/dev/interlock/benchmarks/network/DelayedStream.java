// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.network;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One direction of a connection: reads from one side, and writes to the other side when the delay line delivers.
 *
 * <p>Safe for use by the thread that reads and the thread that delivers.
 */
final class DelayedStream {
    /**
     * The most bytes that may be under way, which bounds the memory for a receiver that does not read. The throughput
     * is not limited by it: with a delay of 2.5 ms it allows three gigabytes a second.
     */
    private static final int WINDOW = 8 << 20;

    private final DelayedConnection connection;
    private final SelectionKey source;
    private final SelectionKey target;
    private final DelayLine line;
    private final ReentrantLock lock = new ReentrantLock();

    /** The bytes that are due and not yet written, because the receiver reads more slowly. */
    private final Deque<ByteBuffer> unwritten = new ArrayDeque<>();

    private int onTheWay;
    private boolean windowIsFull;
    private boolean endIsDue;

    /**
     * Creates a stream.
     *
     * @param connection whose direction it is
     * @param source the registered channel to read from
     * @param target the registered channel to write to
     * @param line what delays it
     */
    DelayedStream(DelayedConnection connection, SelectionKey source, SelectionKey target, DelayLine line) {
        this.connection = connection;
        this.source = source;
        this.target = target;
        this.line = line;
    }

    /**
     * Takes in what has arrived.
     *
     * @param buffer room for it, whose content does not matter
     */
    void read(ByteBuffer buffer) {
        buffer.clear();
        int length;
        try {
            length = channel(source).read(buffer);
        } catch (IOException e) {
            // A connection that is reset ends like one that is closed: earlier data still arrives.
            length = -1;
        }
        if (length < 0) {
            source.interestOpsAnd(~SelectionKey.OP_READ);
            line.addEnd(this);
            return;
        }
        ByteBuffer bytes = ByteBuffer.allocate(length).put(buffer.flip()).flip();
        lock.lock();
        try {
            onTheWay += length;
            if (onTheWay > WINDOW) {
                windowIsFull = true;
                source.interestOpsAnd(~SelectionKey.OP_READ);
            }
        } finally {
            lock.unlock();
        }
        line.add(this, bytes);
    }

    /** Gives bytes that are due to the other side. */
    void deliver(ByteBuffer bytes) {
        lock.lock();
        try {
            unwritten.add(bytes);
            // Otherwise the thread that waits for room goes on when there is some.
            if (unwritten.size() == 1) {
                write();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets the other side see the end of the stream. */
    void end() {
        lock.lock();
        try {
            endIsDue = true;
            if (unwritten.isEmpty()) {
                write();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Goes on writing, because there is room again. */
    void writeMore() {
        lock.lock();
        try {
            target.interestOpsAnd(~SelectionKey.OP_WRITE);
            write();
        } finally {
            lock.unlock();
        }
    }

    private void write() {
        try {
            while (!unwritten.isEmpty()) {
                ByteBuffer bytes = unwritten.element();
                onTheWay -= channel(target).write(bytes);
                if (bytes.hasRemaining()) {
                    target.interestOpsOr(SelectionKey.OP_WRITE);
                    target.selector().wakeup();
                    break;
                }
                unwritten.remove();
            }
            if (endIsDue && unwritten.isEmpty()) {
                channel(target).shutdownOutput();
                connection.streamEnded();
            } else if (windowIsFull && onTheWay <= WINDOW) {
                windowIsFull = false;
                source.interestOpsOr(SelectionKey.OP_READ);
                source.selector().wakeup();
            }
        } catch (IOException | CancelledKeyException e) {
            // Nobody is there to read the rest.
            connection.close();
        }
    }

    private static SocketChannel channel(SelectionKey key) {
        return (SocketChannel) key.channel();
    }
}
