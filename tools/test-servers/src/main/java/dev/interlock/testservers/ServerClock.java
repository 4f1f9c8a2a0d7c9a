// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Steps the wall clock of one process and of no other, under Linux on x86-64.
 *
 * <p>The embedded redis-server is linked statically, so that no preloaded library reaches it. It asks for the time by a
 * function that the kernel maps into each process, the vDSO. That function is replaced, in the memory of the one
 * process, by a few instructions that ask the kernel and add the step to the wall clock. The monotonic clock stays.
 */
public final class ServerClock {
    private static final String CLOCK_GETTIME = "__vdso_clock_gettime";
    private static final int SYMBOL_TABLE = 11;
    private static final int SYMBOL_BYTES = 24;
    private static final int CODE_BYTES = 19;
    private static final long POLL_NANOS = 1_000_000;

    private ServerClock() {}

    /** The vDSO of a process. */
    private record Vdso(long begin, long end) {
        static Vdso of(String process) throws IOException {
            try (Stream<String> lines = Files.lines(Path.of("/proc/" + process + "/maps"))) {
                String[] range = lines.filter(line -> line.endsWith("[vdso]"))
                        .findFirst()
                        .orElseThrow(() -> new IOException("the process has no vDSO"))
                        .split("[- ]", 3);
                return new Vdso(Long.parseUnsignedLong(range[0], 16), Long.parseUnsignedLong(range[1], 16));
            }
        }

        boolean contains(long address) {
            return address >= begin && address < end;
        }
    }

    /**
     * Returns why clocks cannot be stepped here.
     *
     * @return the reason, or empty if they can
     */
    public static Optional<String> obstacle() {
        if (!System.getProperty("os.name").equals("Linux")
                || !System.getProperty("os.arch").equals("amd64")) {
            return Optional.of("the clock of a single server can be stepped only under Linux on x86-64");
        }
        try (RandomAccessFile memory = memory("self")) {
            Vdso vdso = Vdso.of("self");
            function(memory, vdso);
            memory.seek(vdso.begin());
            int same = memory.read();
            memory.seek(vdso.begin());
            memory.write(same);
            // It tells whether a thread is in the vDSO; not every system has it.
            Files.readString(Path.of("/proc/self/syscall"));
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of("this system does not let the clock of a single server be stepped: " + e.getMessage());
        }
    }

    /** Makes the wall clock of a process differ from the right one. */
    static void set(long pid, Duration ahead) {
        String process = Long.toString(pid);
        try (RandomAccessFile memory = memory(process)) {
            Vdso vdso = Vdso.of(process);
            long function = function(memory, vdso);
            try {
                stopOutside(pid, vdso);
                memory.seek(function);
                memory.write(code(ahead));
            } finally {
                Signals.goOn(pid);
            }
        } catch (IOException e) {
            throw new RedisServerException("cannot step the clock of process " + pid, e);
        }
    }

    private static RandomAccessFile memory(String process) throws IOException {
        return new RandomAccessFile("/proc/" + process + "/mem", "rw");
    }

    private static ByteBuffer read(RandomAccessFile memory, Vdso vdso) throws IOException {
        byte[] image = new byte[(int) (vdso.end() - vdso.begin())];
        memory.seek(vdso.begin());
        memory.readFully(image);
        return ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Returns the address of the function that is replaced. */
    private static long function(RandomAccessFile memory, Vdso vdso) throws IOException {
        return vdso.begin() + offset(read(memory, vdso), CLOCK_GETTIME, CODE_BYTES);
    }

    /**
     * Returns where a function begins in the image of a shared library (ELF, 64 bits).
     *
     * @param length how long it must be at least: what is behind it is another function
     */
    private static long offset(ByteBuffer image, String name, int length) throws IOException {
        int sections = (int) image.getLong(40);
        int sectionBytes = image.getShort(58);
        int count = image.getShort(60);
        for (int i = 0; i < count; i++) {
            int section = sections + i * sectionBytes;
            if (image.getInt(section + 4) == SYMBOL_TABLE) {
                int names = (int) image.getLong(sections + image.getInt(section + 40) * sectionBytes + 24);
                int symbols = (int) image.getLong(section + 24);
                int end = symbols + (int) image.getLong(section + 32);
                for (int symbol = symbols; symbol < end; symbol += SYMBOL_BYTES) {
                    if (hasName(image, names + image.getInt(symbol), name)) {
                        if (image.getLong(symbol + 16) < length) {
                            throw new IOException("the vDSO's " + name + " is too short to be replaced");
                        }
                        return image.getLong(symbol + 8);
                    }
                }
            }
        }
        throw new IOException("the vDSO has no " + name);
    }

    private static boolean hasName(ByteBuffer image, int at, String name) {
        byte[] wanted = (name + '\0').getBytes(StandardCharsets.US_ASCII);
        return image.slice(at, Math.min(wanted.length, image.limit() - at)).equals(ByteBuffer.wrap(wanted));
    }

    /** Stops a process while none of its threads is in the vDSO. */
    private static void stopOutside(long pid, Vdso vdso) throws IOException {
        Signals.stop(pid);
        while (isInside(pid, vdso)) {
            Signals.goOn(pid);
            LockSupport.parkNanos(POLL_NANOS);
            Signals.stop(pid);
        }
    }

    private static boolean isInside(long pid, Vdso vdso) throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
            for (Path thread : threads.toList()) {
                // The last field is the address of the next instruction.
                String state = Files.readString(thread.resolve("syscall")).trim();
                String next = state.substring(state.lastIndexOf(' ') + 1);
                if (!next.startsWith("0x") || vdso.contains(Long.parseUnsignedLong(next.substring(2), 16))) {
                    return true;
                }
            }
            return false;
        }
    }

    /** Returns {@code clock_gettime(edi, rsi)} in machine code, with a wall clock that is so much ahead. */
    private static byte[] code(Duration ahead) {
        return ByteBuffer.allocate(CODE_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(bytes(0xb8, 228, 0, 0, 0)) // mov eax, SYS_clock_gettime
                .put(bytes(0x0f, 0x05)) // syscall
                .put(bytes(0x85, 0xff)) // test edi, edi: is it CLOCK_REALTIME?
                .put(bytes(0x75, 0x07)) // jnz to the end
                .put(bytes(0x48, 0x81, 0x06)) // add qword [rsi], seconds
                .putInt(Math.toIntExact(ahead.toSeconds()))
                .put(bytes(0xc3)) // ret
                .array();
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }
}
