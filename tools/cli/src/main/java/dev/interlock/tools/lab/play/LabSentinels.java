// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.SentinelServers;
import dev.interlock.tools.backends.Closing;
import java.util.List;
import java.util.stream.Stream;

/** A primary with two replicas, which three sentinels watch. */
final class LabSentinels implements LabGroup {
    /** The user of the clients. The cut-off primary goes on serving this user alone. */
    private static final String USER = "lab";

    private final SentinelServers group = SentinelServers.start();
    private final RedisServer former = group.primary();
    private final LabLines lines = new LabLines(
            Stream.concat(group.sentinels().stream(), group.servers().stream()).toList());

    LabSentinels() {
        group.servers()
                .forEach(server -> server.command("ACL", "SETUSER", USER, "on", ">" + USER, "~*", "&*", "+@all"));
    }

    @Override
    public String uri(String client) {
        return "redis-sentinel://" + USER + ":" + USER + "@" + lines.addresses(client, group.sentinels()) + "/0#"
                + group.masterName();
    }

    @Override
    public List<RedisServer> primaries() {
        return List.of(group.primary());
    }

    @Override
    public void awaitReplicas() {
        LabServer.awaitReplicas(former, group.replicas().size(), "lab-replicated");
    }

    @Override
    public void killPrimary() {
        awaitReplicas();
        group.awaitPrimaryOtherThan(group.killPrimary());
    }

    @Override
    public void switchOver() {
        group.switchOver();
    }

    @Override
    public void partition() {
        lines.cutFromAllBut(former, LabStage.HOLDER);
        group.awaitPrimaryOtherThan(group.isolatePrimary());
    }

    @Override
    public void close() {
        Closing.all(List.of(lines, group));
    }
}
