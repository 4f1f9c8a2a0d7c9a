// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * Fails if what a build has deployed to a folder is not what Maven Central asks for, or is not exactly what is
 * published.
 *
 * <p>Arguments: the folder of the group, the version, the checkout, and its published modules, separated by commas.
 */
public final class DeployedRepository {
    private static final List<String> OF_A_POM = List.of("pom");
    private static final List<String> OF_A_JAR =
            List.of("pom", "jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json", "-cyclonedx.xml");

    private final Path group;
    private final String version;
    private final List<String> problems = new ArrayList<>();
    private int files;

    private DeployedRepository(Path group, String version) {
        this.group = group;
        this.version = version;
    }

    public static void main(String[] args) throws Exception {
        DeployedRepository repository = new DeployedRepository(Path.of(args[0]), args[1]);
        Path checkout = Path.of(args[2]);
        TreeMap<String, Boolean> artifacts = new TreeMap<>();
        for (String module : args[3].split(",")) {
            Element pom = read(checkout.resolve(module).resolve("pom.xml"));
            artifacts.put(text(pom, "artifactId"), !"pom".equals(text(pom, "packaging")));
        }
        repository.examine(artifacts);
        if (!repository.problems.isEmpty()) {
            repository.problems.forEach(System.err::println);
            System.exit(1);
        }
        System.out.println(
                repository.files + " files of " + artifacts.size() + " artifacts are what Maven Central asks for: "
                        + String.join(", ", artifacts.keySet()));
    }

    private void examine(TreeMap<String, Boolean> artifacts) throws Exception {
        require(names(group).equals(artifacts.keySet()), group, "has " + names(group) + " instead of " + artifacts.keySet());
        for (String artifact : artifacts.keySet()) {
            Path folder = group.resolve(artifact).resolve(version);
            if (!Files.isDirectory(folder)) {
                problems.add(folder + " is missing");
                continue;
            }
            boolean isJar = artifacts.get(artifact);
            boolean complete = examineFiles(folder, artifact + "-" + version, isJar ? OF_A_JAR : OF_A_POM);
            examinePom(folder.resolve(artifact + "-" + version + ".pom"), artifact, isJar);
            if (isJar && complete) {
                examineJars(folder, artifact + "-" + version);
            }
        }
        examineBom(artifacts);
    }

    /**
     * All files that are asked for are there with sums that are right, and no other file. Returns whether none is
     * missing.
     */
    private boolean examineFiles(Path folder, String name, List<String> kinds)
            throws IOException, GeneralSecurityException {
        Set<String> expected = new TreeSet<>();
        for (String kind : kinds) {
            String file = name + (kind.startsWith("-") ? "" : ".") + kind;
            expected.add(file);
            for (String[] sum : new String[][] {{".md5", "MD5"}, {".sha1", "SHA-1"}}) {
                expected.add(file + sum[0]);
                Path path = folder.resolve(file);
                Path written = folder.resolve(file + sum[0]);
                if (Files.exists(path) && Files.exists(written)) {
                    require(Files.readString(written).equals(sum(path, sum[1])), written, "is wrong");
                }
            }
        }
        Set<String> found = names(folder);
        if (kinds.equals(OF_A_POM)) {
            // The parent of all gets one, with nothing in it.
            found.removeIf(file -> file.contains("-cyclonedx."));
        }
        require(found.equals(expected), folder, "has " + found + " instead of " + expected);
        files += expected.size();
        return found.containsAll(expected);
    }

    private static String sum(Path file, String algorithm) throws IOException, GeneralSecurityException {
        byte[] digest = MessageDigest.getInstance(algorithm).digest(Files.readAllBytes(file));
        return String.format("%0" + 2 * digest.length + "x", new BigInteger(1, digest));
    }

    private void examinePom(Path file, String artifact, boolean isJar) throws Exception {
        Element pom = read(file);
        boolean hasParent = child(pom, "parent") != null;
        require(artifact.equals(text(pom, "artifactId")), file, "has another artifactId");
        require(version.equals(text(hasParent ? child(pom, "parent") : pom, "version")), file, "has another version");
        require(isJar == hasParent, file, "should inherit from the parent if, and only if, it is a jar's");
        for (String element : List.of("name", "description")) {
            require(!text(pom, element).isBlank(), file, "has no " + element);
        }
        if (!hasParent) {
            // Whoever has the parent inherits these.
            for (String element : List.of("url", "licenses", "developers", "scm")) {
                require(!text(pom, element).isBlank(), file, "has no " + element);
            }
            for (String element : List.of("connection", "developerConnection", "url")) {
                require(!text(child(pom, "scm"), element).isBlank(), file, "has no scm/" + element);
            }
        }
        require(child(pom, "repositories") == null, file, "names repositories, which Maven Central does not have");
        require(!Files.readString(file).contains("-SNAPSHOT"), file, "names a snapshot");
    }

    private void examineJars(Path folder, String name) throws IOException {
        Set<String> classes = entries(folder.resolve(name + ".jar"));
        Set<String> sources = entries(folder.resolve(name + "-sources.jar"));
        for (String file : List.of("META-INF/LICENSE", "META-INF/NOTICE")) {
            require(classes.contains(file), folder.resolve(name + ".jar"), "has no " + file);
        }
        // A starter has dependencies only.
        if (classes.stream().anyMatch(entry -> entry.endsWith(".class"))) {
            require(
                    classes.contains("module-info.class") || automaticModule(folder, name),
                    folder.resolve(name + ".jar"),
                    "has neither a module descriptor nor the name of a module");
            require(sources.stream().anyMatch(entry -> entry.endsWith(".java")), folder, "has no sources");
            require(entries(folder.resolve(name + "-javadoc.jar")).contains("index.html"), folder, "has no documentation");
        }
        String materials = Files.readString(folder.resolve(name + "-cyclonedx.json"));
        require(materials.contains("\"bomFormat\" : \"CycloneDX\""), folder, "has a bill of materials that is none");
    }

    private static boolean automaticModule(Path folder, String name) throws IOException {
        try (JarFile jar = new JarFile(folder.resolve(name + ".jar").toFile())) {
            return jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name") != null;
        }
    }

    private static Set<String> entries(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.stream().map(entry -> entry.getName()).collect(Collectors.toSet());
        }
    }

    /** The BOM manages all jars that are published, in this version. */
    private void examineBom(TreeMap<String, Boolean> artifacts) throws Exception {
        Path file = group.resolve("interlock-bom").resolve(version).resolve("interlock-bom-" + version + ".pom");
        Set<String> managed = new TreeSet<>();
        for (Element dependency : children(child(child(read(file), "dependencyManagement"), "dependencies"))) {
            managed.add(text(dependency, "artifactId"));
        }
        Set<String> jars =
                artifacts.keySet().stream().filter(artifacts::get).collect(Collectors.toCollection(TreeSet::new));
        require(managed.equals(jars), file, "manages " + managed + " instead of " + jars);
    }

    private void require(boolean kept, Path where, String problem) {
        if (!kept) {
            problems.add(where + " " + problem);
        }
    }

    private static Set<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.startsWith("maven-metadata"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static Element read(Path file) throws Exception {
        try (InputStream in = Files.newInputStream(file)) {
            return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(in).getDocumentElement();
        }
    }

    private static List<Element> children(Element element) {
        List<Element> children = new ArrayList<>();
        for (Node node = element == null ? null : element.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element child) {
                children.add(child);
            }
        }
        return children;
    }

    private static Element child(Element element, String name) {
        return children(element).stream().filter(child -> child.getTagName().equals(name)).findFirst().orElse(null);
    }

    private static String text(Element element, String name) {
        Element child = child(element, name);
        return child == null ? "" : child.getTextContent().strip();
    }
}
