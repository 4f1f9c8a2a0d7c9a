// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Fails with a helpful message if Spring Boot is too old, before a missing class ends the start without one.
 */
final class SpringBootVersionCheck implements ApplicationContextInitializer<ConfigurableApplicationContext> {
    private static final int MAJOR = 4;
    private static final int MINOR = 1;
    private static final Pattern VERSION = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})\\b.*");

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        if (context.getEnvironment().getProperty("interlock.enabled", Boolean.class, true)) {
            requireSupported(SpringBootVersion.getVersion());
        }
    }

    /** Fails if a version is older than the oldest that is supported. A version that cannot be read is accepted. */
    static void requireSupported(@Nullable String version) {
        Matcher matcher = VERSION.matcher(version == null ? "" : version);
        if (!matcher.matches()) {
            return;
        }
        int major = Integer.parseInt(matcher.group(1));
        int minor = Integer.parseInt(matcher.group(2));
        if (major < MAJOR || (major == MAJOR && minor < MINOR)) {
            throw new IllegalStateException("interlock-spring-boot needs Spring Boot " + MAJOR + "." + MINOR
                    + " or later, and this application has " + version
                    + ": update Spring Boot, or depend on a strategy alone, such as"
                    + " dev.interlock:interlock-strategy-set-nx-px, and declare a bean that is made by"
                    + " DistributedLocks.getInstance(…)");
        }
    }
}
