package io.carillon.client;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The programs of JAVA.md, as they are printed: each block whose language is followed by a file's name. */
final class PageTests {
  private static final Pattern PROGRAM = Pattern.compile("(?s)\n```java (\\w+)\\.java\n(.*?)\n```\n");

  private PageTests() {}

  static void add(Map<String, ClientTests.Test> tests, Server server) {
    tests.put("the page's programs run as they are printed", () -> {
      String page = new String(Files.readAllBytes(Paths.get("Sources/Client/Java/JAVA.md")), StandardCharsets.UTF_8);
      Matcher program = PROGRAM.matcher(page);
      int count = 0;
      while (program.find()) {
        run(server, program.group(1), program.group(2));
        count++;
      }
      Check.equal("programs", 1, count);
    });
  }

  private static void run(Server server, String name, String text) throws Exception {
    Path file = server.folder().resolve(name + ".java");
    Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    String tools = Paths.get(System.getProperty("java.home"), "bin").toString();
    String classes = System.getProperty("java.class.path");
    String folder = server.folder().toString();
    Check.equal("javac", 0, start(
        server, tools + "/javac", "-encoding", "UTF-8", "-cp", classes, "-d", folder, file.toString()));
    Check.equal("java", 0, start(server, tools + "/java", "-cp", classes + ":" + folder, name, server.url()));
    String output = new String(Files.readAllBytes(server.folder().resolve("page.log")));
    // The event of what was sent may come a moment behind its answer, when the program has ended.
    Check.that("it says where it stands: " + output, output.contains("sent as event "));
  }

  private static int start(Server server, String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(server.folder().resolve("page.log").toFile())).start();
    try {
      Check.that(command[0] + " ends", process.waitFor(Check.SECONDS, TimeUnit.SECONDS));
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }
}
