// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

import dev.interlock.redis.LuaScript;
import java.lang.reflect.Field;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The scripts of the strategies as their classes hold them, which no other package sees. */
public final class RealScripts {
    private static final List<String> HOLDERS = List.of(
            "dev.interlock.setnxpx.LockScripts",
            "dev.interlock.setnxpx.readwrite.ReadWriteScripts",
            "dev.interlock.setnxgetset.GuardedWrites",
            "dev.interlock.redlock.Scripts",
            "dev.interlock.redlock.lead.LeadScripts",
            "dev.interlock.redlock.birth.Births",
            "dev.interlock.redlock.inspect.RedlockInspection");

    private RealScripts() {}

    /** Returns the source of each script by the name of its class and field. */
    public static Map<String, String> all() throws ReflectiveOperationException {
        Map<String, String> scripts = new TreeMap<>();
        for (String holder : HOLDERS) {
            Class<?> type = Class.forName(holder);
            for (Field field : type.getDeclaredFields()) {
                if (java.lang.reflect.Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    collect(type.getSimpleName() + "." + field.getName(), field.get(null), scripts);
                }
            }
        }
        return scripts;
    }

    private static void collect(String name, Object value, Map<String, String> scripts)
            throws ReflectiveOperationException {
        if (value instanceof LuaScript script) {
            scripts.put(name.toLowerCase(java.util.Locale.ROOT), script.source());
        } else if (value.getClass().isRecord()) {
            List<RecordComponent> components =
                    new ArrayList<>(List.of(value.getClass().getRecordComponents()));
            components.removeIf(component -> component.getType() != LuaScript.class);
            for (RecordComponent component : components) {
                component.getAccessor().setAccessible(true);
                collect(
                        name + "." + component.getName(),
                        component.getAccessor().invoke(value),
                        scripts);
            }
        }
    }
}
