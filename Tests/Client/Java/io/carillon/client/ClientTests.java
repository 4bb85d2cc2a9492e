package io.carillon.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs all tests, or those whose names contain an argument; exits with 1 if one fails. */
public final class ClientTests {
  interface Test {
    void run() throws Exception;
  }

  private ClientTests() {}

  public static void main(String[] words) throws Exception {
    Map<String, Test> tests = new LinkedHashMap<>();
    JsonTests.add(tests);
    SafetyTests.add(tests);
    List<String> failed = new ArrayList<>();
    try (Server server = new Server()) {
      OutboxTests.add(tests, server.folder());
      ChatTests.add(tests, server);
      ProxyTests.add(tests, server);
      RestTests.add(tests, server);
      PushTests.add(tests, server);
      PageTests.add(tests, server);
      for (Map.Entry<String, Test> test : tests.entrySet()) {
        if (words.length > 0 && !test.getKey().contains(words[0])) continue;
        server.startUnlessAlive();
        run(test.getKey(), test.getValue(), failed);
      }
    }
    System.out.println(failed.isEmpty() ? "all passed" : failed.size() + " failed: " + failed);
    System.exit(failed.isEmpty() ? 0 : 1);
  }

  private static void run(String name, Test test, List<String> failed) {
    long start = System.nanoTime();
    try {
      test.run();
      System.out.printf("passed (%.1f s): %s%n", (System.nanoTime() - start) / 1e9, name);
    } catch (Throwable failure) {
      failed.add(name);
      System.out.println("FAILED: " + name);
      failure.printStackTrace(System.out);
    }
  }
}
