// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A headless browser with one page, which is spoken to by the protocol of its developer tools. */
final class Chromium implements AutoCloseable {
    /** How long an answer is waited for: a machine with much else to do prints slowly. */
    private static final long LIMIT_SECONDS = 600;

    private static final int CONTROL = 2;
    private static final Map<String, Integer> KEY_CODES = Map.of(
            "Tab",
            9,
            "Enter",
            13,
            "Escape",
            27,
            " ",
            32,
            "End",
            35,
            "Home",
            36,
            "ArrowLeft",
            37,
            "ArrowUp",
            38,
            "ArrowRight",
            39,
            "ArrowDown",
            40);
    private static final Map<String, String> TEXTS = Map.of("Enter", "\r", " ", " ");
    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome", "chrome");

    private final Process process;
    private final WebSocket socket;
    private final String session;
    private final Map<Integer, CompletableFuture<JsonObject>> calls = new ConcurrentHashMap<>();
    private final BlockingQueue<JsonObject> events = new LinkedBlockingQueue<>();
    private final AtomicInteger ids = new AtomicInteger();

    private Chromium(Path executable, Path profile) throws Exception {
        process = new ProcessBuilder(
                        executable.toString(),
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(URI.create(address()), new Listener())
                .get(LIMIT_SECONDS, TimeUnit.SECONDS);
        String target = call("", "Target.createTarget", Map.of("url", "about:blank"))
                .get("targetId")
                .getAsString();
        session = call("", "Target.attachToTarget", Map.of("targetId", target, "flatten", true))
                .get("sessionId")
                .getAsString();
        for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
            call(domain + ".enable", Map.of());
        }
    }

    /** Where a browser is, if there is one on the path. */
    static Optional<Path> find() {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    static Chromium start(Path executable, Path profile) throws Exception {
        return new Chromium(executable, profile);
    }

    private String address() throws IOException {
        BufferedReader errors = process.errorReader();
        String start = "DevTools listening on ";
        for (String line = errors.readLine(); line != null; line = errors.readLine()) {
            if (line.startsWith(start)) {
                Thread drain = new Thread(() -> errors.lines().forEach(rest -> {}), "chromium-stderr");
                drain.setDaemon(true);
                drain.start();
                return line.substring(start.length());
            }
        }
        throw new IOException("the browser did not start");
    }

    private JsonObject call(String method, Map<String, ?> parameters) throws Exception {
        return call(session, method, parameters);
    }

    private JsonObject call(String in, String method, Map<String, ?> parameters) throws Exception {
        int id = ids.incrementAndGet();
        CompletableFuture<JsonObject> reply = new CompletableFuture<>();
        calls.put(id, reply);
        JsonObject call = new JsonObject();
        call.addProperty("id", id);
        call.addProperty("method", method);
        call.add("params", new Gson().toJsonTree(parameters));
        if (!in.isEmpty()) {
            call.addProperty("sessionId", in);
        }
        socket.sendText(call.toString(), true).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        JsonObject answer = reply.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        if (answer.has("error")) {
            throw new IOException(method + ": " + answer.get("error"));
        }
        return answer.getAsJsonObject("result");
    }

    /** Opens a file and waits until it has been loaded. */
    void open(Path file) throws Exception {
        call("Page.navigate", Map.of("url", file.toUri().toString()));
        while (!evaluate("document.readyState").getAsString().equals("complete")) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /** The value of an expression. */
    JsonElement evaluate(String expression) throws Exception {
        JsonObject result = call("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true));
        if (result.has("exceptionDetails")) {
            throw new IOException(expression + ": " + result.get("exceptionDetails"));
        }
        return result.getAsJsonObject("result").get("value");
    }

    void size(int width, int height) throws Exception {
        call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
    }

    void scheme(String scheme) throws Exception {
        call(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    /** Shows the page as it is printed. */
    void print() throws Exception {
        call("Emulation.setEmulatedMedia", Map.of("media", "print"));
    }

    /** Presses and releases a key, as a keyboard does. */
    void key(String key) throws Exception {
        key(key, 0);
    }

    void controlAnd(String key) throws Exception {
        key(key, CONTROL);
    }

    private void key(String key, int modifiers) throws Exception {
        Map<String, Object> event = new HashMap<>(Map.of(
                "type",
                "keyDown",
                "key",
                key,
                "code",
                key.equals(" ") ? "Space" : key,
                "windowsVirtualKeyCode",
                KEY_CODES.get(key),
                "modifiers",
                modifiers));
        if (TEXTS.containsKey(key)) {
            event.put("text", TEXTS.get(key));
        }
        call("Input.dispatchKeyEvent", event);
        event.remove("text");
        event.put("type", "keyUp");
        call("Input.dispatchKeyEvent", event);
    }

    /**
     * Moves the mouse to the middle of an element and clicks, on whatever is there.
     *
     * @param element an expression
     */
    void click(String element) throws Exception {
        JsonObject at = new Gson()
                .fromJson(
                        evaluate(
                                        "(() => { const it = " + element + "; it.scrollIntoView({ block: 'center' });"
                                                + " const box = it.getBoundingClientRect();"
                                                + " return JSON.stringify({ x: box.x + box.width / 2, y: box.y + box.height / 2 }); })()")
                                .getAsString(),
                        JsonObject.class);
        for (String type : List.of("mouseMoved", "mousePressed", "mouseReleased")) {
            call(
                    "Input.dispatchMouseEvent",
                    Map.of(
                            "type",
                            type,
                            "x",
                            at.get("x").getAsDouble(),
                            "y",
                            at.get("y").getAsDouble(),
                            "button",
                            type.equals("mouseMoved") ? "none" : "left",
                            "clickCount",
                            type.equals("mouseMoved") ? 0 : 1));
        }
    }

    void screenshot(Path file, boolean whole) throws Exception {
        write(file, call("Page.captureScreenshot", Map.of("captureBeyondViewport", whole)));
    }

    void print(Path file) throws Exception {
        write(file, call("Page.printToPDF", Map.of("printBackground", true, "preferCSSPageSize", true)));
    }

    private static void write(Path file, JsonObject result) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.write(file, Base64.getDecoder().decode(result.get("data").getAsString()));
    }

    /** What went wrong in the page, and what it asked of a network. */
    List<String> complaints() {
        return events.stream().flatMap(Chromium::complaint).toList();
    }

    private static Stream<String> complaint(JsonObject event) {
        String method = event.get("method").getAsString();
        JsonObject parameters = event.getAsJsonObject("params");
        return switch (method) {
            case "Runtime.exceptionThrown", "Log.entryAdded" -> Stream.of(event.toString());
            case "Runtime.consoleAPICalled" ->
                parameters.get("type").getAsString().matches("error|warning|assert")
                        ? Stream.of(event.toString())
                        : Stream.of();
            case "Network.requestWillBeSent" ->
                parameters.getAsJsonObject("request").get("url").getAsString().matches("(file|data|about|blob):.*")
                        ? Stream.of()
                        : Stream.of(event.toString());
            default -> Stream.of();
        };
    }

    @Override
    public void close() {
        socket.abort();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().onExit().join();
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder message = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            message.append(data);
            if (last) {
                JsonObject json = JsonParser.parseString(message.toString()).getAsJsonObject();
                message.setLength(0);
                if (json.has("id")) {
                    calls.remove(json.get("id").getAsInt()).complete(json);
                } else {
                    events.add(json);
                }
            }
            from.request(1);
            return CompletableFuture.completedFuture(null);
        }
    }
}
