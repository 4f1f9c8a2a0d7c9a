// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Configuration;

/** An application that says how its start ended. */
@Configuration(proxyBeanMethods = false)
class OlderBootMain {
    static final String ENDED = "ended: ";
    static final String STARTED = "started";

    public static void main(String[] args) {
        String said;
        try {
            SpringApplication application = new SpringApplication(OlderBootMain.class);
            application.setBannerMode(Banner.Mode.OFF);
            application.setLogStartupInfo(false);
            application.run(args).close();
            said = STARTED;
        } catch (RuntimeException | LinkageError e) {
            said = e.toString();
        }
        System.out.println(ENDED + said);
    }
}
