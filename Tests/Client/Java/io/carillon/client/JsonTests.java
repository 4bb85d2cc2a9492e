package io.carillon.client;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;

final class JsonTests {
  private JsonTests() {}

  static void add(Map<String, ClientTests.Test> tests) {
    tests.put("JSON is read and written", () -> {
      for (String text : Arrays.asList(
          "{}", "[]", "null", "true", "-0.5", "\"\"", "[1,2,[3,{\"a\":null}]]",
          "{\"a\":{\"b\":[false,9007199254740993]}}",
          "\"\\u0001\\\"\\\\\"", "\"\uD83D\uDE00 ü\"")) {
        Check.equal(text, text, Json.write(Json.parse(text)));
      }
      Check.equal("escapes", "a\n\t/\u00e9\uD83D\uDE00", Json.parse("\"a\\n\\t\\/\\u00e9\\ud83d\\ude00\""));
      Check.equal("a position as text", 7L, Json.integer(Json.parse("{\"p\":\"7\"}"), "p", -1));
      Check.equal("no number", -1L, Json.integer(Json.parse("{\"p\":[]}"), "p", -1));
    });
    tests.put("what is no JSON is refused", () -> {
      StringBuilder deep = new StringBuilder();
      for (int i = 0; i < 100_000; i++) deep.append('[');
      for (String text : Arrays.asList(
          "", " ", "{", "[1,]", "{\"a\"}", "{a:1}", "01", "+1", "1.", ".5", "1e", "--1", "\"", "\"\\x\"", "\"\\u12g4\"",
          "\"\n\"", "tru", "[1]]", "nul", "'a'", "\uFEFF{}", deep.toString())) {
        refuse(text.getBytes(StandardCharsets.UTF_8));
      }
      refuse(new byte[] {'"', (byte) 0xC3, '"'});
    });
    tests.put("random bytes never do worse than being refused", () -> {
      long seed = 22;
      Random random = new Random(seed);
      String text = "[{\"channel\":\"/meta/connect\",\"id\":\"1\",\"advice\":{\"timeout\":30000},"
          + "\"data\":[1.5e3,\"\\u00fc\"]}]";
      byte[] sample = text.getBytes(StandardCharsets.UTF_8);
      for (int i = 0; i < 20_000; i++) {
        byte[] bytes = sample.clone();
        for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
          bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        try {
          for (CometMessage message : CometMessage.parse(bytes)) {
            message.asksForHandshake();
            ChatMessage.parse(message.data);
          }
        } catch (CarillonException refused) {
          Check.equal("kind, seed " + seed, CarillonException.Kind.MALFORMED_RESPONSE, refused.kind());
        }
      }
    });
  }

  private static void refuse(byte[] bytes) {
    try {
      Json.parse(bytes);
    } catch (CarillonException refused) {
      return;
    }
    throw new AssertionError("taken for JSON: " + new String(bytes, StandardCharsets.UTF_8));
  }
}
