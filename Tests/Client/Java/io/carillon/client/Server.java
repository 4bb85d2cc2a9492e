package io.carillon.client;

import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The program under test, from outside; CARILLON_PROGRAM names it, {@code .build/debug/carillon} without it. */
final class Server implements AutoCloseable {
  final int port;
  private final Path folder;
  private final Map<String, String> tokens = new HashMap<>();
  private volatile Process process;
  private boolean isEnding;

  Server() throws Exception {
    folder = Files.createTempDirectory("carillon-java-");
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    // Whatever ends the tests ends it too.
    Runtime.getRuntime().addShutdownHook(new Thread(this::end));
    token("anna", "agent");
    token("shop", "sender", "--sender", "1234567890");
    start();
  }

  String url() {
    return "http://127.0.0.1:" + port;
  }

  String token(String name) {
    return tokens.get(name);
  }

  Path folder() {
    return folder;
  }

  private void token(String name, String role, String... more) throws Exception {
    List<String> words = new ArrayList<>(Arrays.asList(
        "token", "create", name, "--role", role, "--data-directory", data(), "--out", folder.resolve(name).toString()));
    words.addAll(Arrays.asList(more));
    Process command = run(words);
    if (!command.waitFor(Check.SECONDS, TimeUnit.SECONDS)) {
      command.destroyForcibly();
      throw new AssertionError("token create does not end: " + log());
    }
    if (command.exitValue() != 0) throw new AssertionError("token create: " + log());
    tokens.put(name, new String(Files.readAllBytes(folder.resolve(name))).trim());
  }

  void start() throws Exception {
    synchronized (this) {
      if (isEnding) throw new IllegalStateException("the tests end");
      process = run(Arrays.asList(
          "serve", "--config", "Sources/App/carillon.example.yaml", "--data-directory", data(), "--host", "127.0.0.1",
          "--port", String.valueOf(port)));
    }
    Http http = http(Collections.<String, String>emptyMap());
    Check.until("the server is ready", () -> {
      if (!process.isAlive()) throw new AssertionError("the server has ended: " + log());
      try {
        return http.exchange("GET", "/health/ready", null, Http.NOTHING, 1_000).status == 200;
      } catch (CarillonException notYet) {
        return false;
      }
    });
  }

  /** A test that goes on meanwhile starts none. */
  private synchronized void end() {
    isEnding = true;
    if (process != null) process.destroyForcibly();
  }

  /** A test that has failed may have left it dead. */
  void startUnlessAlive() throws Exception {
    if (!process.isAlive()) start();
  }

  /** As {@code kill -9} does: what is not on the disk is gone. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  Http http(Map<String, String> headers) throws CarillonException {
    return new Http(new ServerList(Collections.singletonList(ServerAddress.parse(url()))), () -> headers);
  }

  @Override
  public void close() throws Exception {
    kill();
    List<Path> all = Files.walk(folder).sorted(Comparator.reverseOrder()).collect(Collectors.toList());
    for (Path path : all) Files.delete(path);
  }

  private String data() {
    return folder.resolve("data").toString();
  }

  private Process run(List<String> words) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(program());
    command.addAll(words);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().remove("CARILLON_PROGRAM");
    File log = folder.resolve("log").toFile();
    return builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.appendTo(log)).start();
  }

  private static String program() {
    String named = System.getenv("CARILLON_PROGRAM");
    return Paths.get(named == null ? ".build/debug/carillon" : named).toAbsolutePath().toString();
  }

  private String log() throws IOException {
    String text = new String(Files.readAllBytes(folder.resolve("log")));
    return text.substring(Math.max(0, text.length() - 2_000));
  }
}
