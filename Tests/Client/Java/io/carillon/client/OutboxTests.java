package io.carillon.client;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

final class OutboxTests {
  /** The long form asks for more. */
  private static final int COUNT = Integer.getInteger("carillon.outbox", 1_000);
  private static final int LOSS_PERIOD = COUNT / 40;

  private OutboxTests() {}

  static void add(Map<String, ClientTests.Test> tests, Path folder) {
    tests.put("an outbox of " + COUNT + " outlives the app and is sent once, though some answers are lost", () -> {
      FileStore store = new FileStore(folder.resolve("outbox").toFile());
      List<String> texts = new ArrayList<>();
      try (StandInServer server = new StandInServer(LOSS_PERIOD)) {
        CarillonChat first = new CarillonChat(configuration("http://127.0.0.1:1"), event -> { }, store);
        Pending<SentMessage> last = null;
        for (int i = 0; i < COUNT; i++) {
          texts.add("text " + i);
          last = first.send("id-" + i, texts.get(i));
        }
        CarillonException full = Check.error("one more", first.send("id-more", "more"));
        Check.equal("full", CarillonException.Kind.OUTBOX_FULL, full.kind());
        Check.equal("waiting", COUNT, first.waitingIds().size());
        Check.value("close", first.close());
        Check.equal("closed", CarillonException.Kind.STOPPED, Check.error("last", last).kind());

        CarillonChat second = new CarillonChat(configuration(server.url()), event -> { }, store);
        Check.value("start", second.start(new ChatParameters()));
        untilSent(server, COUNT / 2);
        Check.value("close", second.close());

        CarillonChat third = new CarillonChat(configuration(server.url()), event -> { }, store);
        Check.value("start", third.start(new ChatParameters()));
        untilSent(server, COUNT);
        Pending<SentMessage> again = third.send("id-" + (COUNT - 1), "text " + (COUNT - 1));
        Check.equal("position", (long) COUNT, Check.value("the last one", again).position());
        Check.equal("texts", texts, server.texts());
        Check.value("close", third.close());
      }
    });
  }

  /** However slow the machine is, it goes on. */
  private static void untilSent(StandInServer server, int count) throws Exception {
    while (server.count() < count) {
      int before = server.count();
      Check.until("more than " + before, () -> server.count() > before);
    }
  }

  private static CarillonConfiguration configuration(String url) {
    CarillonConfiguration configuration = new CarillonConfiguration(url, "user");
    configuration.backOff = new BackOff(1, 10);
    configuration.settleMilliseconds = 50;
    configuration.outboxMaximum = COUNT;
    return configuration;
  }
}
