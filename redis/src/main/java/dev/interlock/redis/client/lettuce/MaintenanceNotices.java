// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.lettuce;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;

/** The notices by which a server makes Lettuce move its connections. Lettuce 6 does not know them. */
final class MaintenanceNotices {
    private static final boolean KNOWN = areKnown();

    private MaintenanceNotices() {}

    /** Switches the notices off: Interlock decides where connections lead, not Lettuce. */
    static ClientOptions.Builder switchOff(ClientOptions.Builder options) {
        return KNOWN ? Switch.off(options) : options;
    }

    private static boolean areKnown() {
        try {
            Class.forName("io.lettuce.core.MaintNotificationsConfig", false, ClientOptions.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** Loaded only if Lettuce has the type. */
    private static final class Switch {
        static ClientOptions.Builder off(ClientOptions.Builder options) {
            return options.maintNotificationsConfig(MaintNotificationsConfig.disabled());
        }
    }
}
