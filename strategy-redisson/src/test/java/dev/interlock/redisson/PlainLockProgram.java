// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.testservers.ParentJvm;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** A JVM of its own that locks plainly as it is told, by whichever Redisson is on its class path. */
final class PlainLockProgram {
    private PlainLockProgram() {}

    public static void main(String[] args) throws IOException {
        ParentJvm parent = ParentJvm.ofThisProcess();
        Config config = new Config();
        Fixture.patient(config.useSingleServer()).setAddress(args[0]).setConnectionMinimumIdleSize(1);
        RedissonClient client = Redisson.create(config);
        RLock lock = client.getLock(Fixture.NAME);
        parent.say(Redisson.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath());
        while (true) {
            switch (parent.nextLine()) {
                case "lock" -> {
                    lock.lock(Fixture.LONG.toMinutes(), TimeUnit.MINUTES);
                    parent.say("locked");
                }
                case "try" -> parent.say(lock.tryLock() ? "locked" : "refused");
                default -> {
                    lock.unlock();
                    parent.say("unlocked");
                }
            }
        }
    }
}
