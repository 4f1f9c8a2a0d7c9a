// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.locks;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.interlock.redis.inspect.InspectedLock;
import dev.interlock.redis.inspect.LockParty;
import java.util.List;

/** Locks as JSON, one document for each command. What is not known is left out. */
public final class LocksJson {
    private LocksJson() {}

    /** Some locks. */
    public static String locks(List<LockOverview.Found> found) {
        JsonArray array = new JsonArray();
        found.forEach(each -> array.add(lock(each)));
        return text("locks", array);
    }

    /** Circles of waits. */
    public static String circles(List<List<Deadlocks.Wait>> circles) {
        JsonArray array = new JsonArray();
        for (List<Deadlocks.Wait> circle : circles) {
            JsonArray waits = new JsonArray();
            for (Deadlocks.Wait wait : circle) {
                JsonObject object = new JsonObject();
                object.add("waiter", party(wait.waiter()));
                object.addProperty("lock", wait.lock());
                object.add("holder", party(wait.holder()));
                waits.add(object);
            }
            array.add(waits);
        }
        return text("circles", array);
    }

    private static String text(String name, JsonElement content) {
        JsonObject document = new JsonObject();
        document.addProperty("kind", name);
        document.addProperty("schemaVersion", 2);
        document.add(name, content);
        return new GsonBuilder()
                        .setPrettyPrinting()
                        .disableHtmlEscaping()
                        .create()
                        .toJson(document) + "\n";
    }

    private static JsonObject lock(LockOverview.Found found) {
        InspectedLock lock = found.lock();
        JsonObject object = new JsonObject();
        object.addProperty("name", lock.name());
        object.addProperty("strategy", found.strategy());
        object.add("holder", party(lock.holder()));
        lock.remaining().ifPresent(left -> object.addProperty("remainingMillis", left.toMillis()));
        lock.lastFence().ifPresent(fence -> object.addProperty("lastFencingToken", fence));
        lock.holds().ifPresent(holds -> object.addProperty("holds", holds));
        lock.votes().ifPresent(votes -> object.add("votes", votes(votes)));
        lock.waiting().ifPresent(waiting -> object.addProperty("waiting", waiting));
        JsonArray waiters = new JsonArray();
        lock.waiters().forEach(waiter -> waiters.add(party(waiter)));
        object.add("waiters", waiters);
        if (!lock.note().isEmpty()) {
            object.addProperty("note", lock.note());
        }
        return object;
    }

    private static JsonObject votes(InspectedLock.Votes votes) {
        JsonObject object = new JsonObject();
        object.addProperty("held", votes.held());
        object.addProperty("answered", votes.answered());
        object.addProperty("servers", votes.servers());
        object.addProperty("majority", votes.decided());
        return object;
    }

    private static JsonObject party(LockParty party) {
        JsonObject object = new JsonObject();
        party.factory().ifPresent(factory -> object.addProperty("factory", factory));
        party.client().ifPresent(client -> object.addProperty("clientId", client));
        party.thread().ifPresent(thread -> object.addProperty("thread", thread));
        object.addProperty("claim", party.claim());
        party.since().ifPresent(since -> object.addProperty("since", since.toString()));
        party.card().ifPresent(card -> {
            object.addProperty("host", card.host());
            object.addProperty("pid", card.pid());
            object.addProperty("client", card.client());
            object.addProperty("factoryStarted", card.started().toString());
        });
        return object;
    }
}
