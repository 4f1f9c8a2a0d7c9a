// SPDX-License-Identifier: Apache-2.0
/** One view of a Redis server for the strategies that speak to Redis themselves, over Jedis or Lettuce. */
module dev.interlock.redis {
    requires transitive dev.interlock.engine;
    requires static transitive org.jspecify;
    requires static org.apache.commons.pool2;
    requires static transitive redis.clients.jedis;
    requires static transitive lettuce.core;
    requires static io.netty.buffer;
    requires static io.netty.common;
    requires static io.netty.handler;
    requires static io.netty.transport;
    requires jdk.net;

    exports dev.interlock.redis;
    exports dev.interlock.redis.connect;
    exports dev.interlock.redis.endpoint;
    exports dev.interlock.redis.inspect;
    exports dev.interlock.redis.waiting;
}
