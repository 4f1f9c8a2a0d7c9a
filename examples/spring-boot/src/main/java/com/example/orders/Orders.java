// SPDX-License-Identifier: Apache-2.0
package com.example.orders;

import dev.interlock.Lease;
import dev.interlock.spring.Locked;
import java.time.Duration;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Service;

/** The orders, which are packed in Redis. */
@Service
public class Orders {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final StringRedisTemplate redis;

    Orders(StringRedisTemplate redis) {
        this.redis = redis;
    }

    /**
     * Packs an order as soon as its parcel has come.
     *
     * @param id the order
     * @param lease given by the annotation; callers pass null
     * @return what was packed, and under which fencing token
     */
    @Locked(value = "order:#{#id}", waitTime = "0")
    public String pack(String id, Lease lease) {
        String parcel = redis.opsForList().leftPop("parcel:" + id, PATIENCE);
        return "order " + id + " in " + parcel + (lease.isValid() ? ", token " : ", too late, token ")
                + lease.fencingToken().orElseThrow();
    }
}
