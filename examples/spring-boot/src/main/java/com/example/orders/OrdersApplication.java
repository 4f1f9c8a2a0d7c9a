// SPDX-License-Identifier: Apache-2.0
package com.example.orders;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Takes orders, each on one machine at a time. */
@SpringBootApplication(proxyBeanMethods = false)
public class OrdersApplication {
    /**
     * Starts the application.
     *
     * @param args settings, such as {@code --spring.data.redis.host=…}
     */
    public static void main(String[] args) {
        SpringApplication.run(OrdersApplication.class, args);
    }
}
