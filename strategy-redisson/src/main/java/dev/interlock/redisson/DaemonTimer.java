// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import io.netty.util.HashedWheelTimer;
import java.lang.reflect.Field;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;

/**
 * Makes a client's timer thread a daemon, so that it does not keep the JVM alive. No setting reaches the thread that
 * {@code org.redisson.connection.ServiceManager#initTimer} creates, so it is changed before it starts.
 */
final class DaemonTimer {
    private static final System.Logger LOG = System.getLogger(DaemonTimer.class.getPackageName());

    private DaemonTimer() {}

    /** Makes the timer thread of an unused client a daemon. */
    static void makeDaemon(RedissonClient client) {
        try {
            HashedWheelTimer timer = ((Redisson) client).getServiceManager().getTimer();
            Field thread = HashedWheelTimer.class.getDeclaredField("workerThread");
            thread.setAccessible(true);
            ((Thread) thread.get(timer)).setDaemon(true);
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Redisson's timer keeps this JVM alive until the lock factory is closed; on the module path,"
                            + " --add-opens io.netty.common/io.netty.util=dev.interlock.redisson repairs that",
                    e);
        }
    }
}
