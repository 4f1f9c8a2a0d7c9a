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

    /** Keys of other strategies that say that a lock is taken, in place of a lock that can be looked at. */
    public static String traces(String name, List<OtherLocks.Trace> traces) {
        JsonArray array = new JsonArray();
        for (OtherLocks.Trace trace : traces) {
            JsonObject object = new JsonObject();
            object.addProperty("name", name);
            object.addProperty("strategy", trace.strategy());
            object.addProperty("key", trace.key());
            trace.remaining().ifPresent(left -> object.addProperty("remainingMillis", left.toMillis()));
            object.addProperty("limits", trace.limits());
            array.add(object);
        }
        JsonObject document = document();
        document.add("locks", new JsonArray());
        document.add("taken", array);
        return text(document);
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
        JsonObject document = document();
        document.add(name, content);
        return text(document);
    }

    private static JsonObject document() {
        JsonObject document = new JsonObject();
        document.addProperty("schemaVersion", 1);
        return document;
    }

    private static String text(JsonObject document) {
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
        object.addProperty("waiting", lock.waiting());
        JsonArray waiters = new JsonArray();
        lock.waiters().forEach(waiter -> waiters.add(party(waiter)));
        object.add("waiters", waiters);
        return object;
    }

    private static JsonObject party(LockParty party) {
        JsonObject object = new JsonObject();
        object.addProperty("factory", party.factory());
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
