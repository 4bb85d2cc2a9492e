package io.carillon.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/** Chats through a proxy that cuts, delays and lies. */
final class ProxyTests {
  private static final long REQUEST_MILLISECONDS = 1_500;
  private static final long SETTLE_MILLISECONDS = 1_000;
  /** A request that is held back for longer than its client waits must have arrived by then, however slowly. */
  private static final long SETTLE_OF_DELAYED_MILLISECONDS = 3_000;

  private ProxyTests() {}

  static void add(Map<String, ClientTests.Test> tests, Server server) {
    for (Proxy.Fault fault : Proxy.Fault.values()) {
      if (fault == Proxy.Fault.NONE) continue;
      boolean isOfComet = fault == Proxy.Fault.UNKNOWN_CLIENT;
      tests.put("a proxy does " + fault + " to every third request: nothing missed, nothing sent twice", () -> {
        int[] count = new int[1];
        try (Proxy proxy = new Proxy(server.port, REQUEST_MILLISECONDS + 300, head -> {
          boolean fits = isOfComet ? head.contains("/meta/connect") : !head.contains("/refresh");
          synchronized (count) {
            return fits && ++count[0] % 3 == 0 ? fault : Proxy.Fault.NONE;
          }
        })) {
          if (fault == Proxy.Fault.DELAY) converse(server, proxy, 4, SETTLE_OF_DELAYED_MILLISECONDS);
          else converse(server, proxy, 10, SETTLE_MILLISECONDS);
        }
      });
    }
    tests.put("a proxy does anything to a third of all requests: nothing missed, nothing sent twice", () -> {
      Random random = new Random(22);
      Proxy.Fault[] faults = Proxy.Fault.values();
      try (Proxy proxy = new Proxy(server.port, 200, head -> {
        synchronized (random) {
          Proxy.Fault fault = random.nextInt(3) == 0 ? faults[random.nextInt(faults.length)] : Proxy.Fault.NONE;
          return fault == Proxy.Fault.UNKNOWN_CLIENT && !head.contains("/meta/connect") ? Proxy.Fault.NONE : fault;
        }
      })) {
        converse(server, proxy, 20, SETTLE_MILLISECONDS);
      }
    });
    tests.put("what is lost more often than the server repeats it comes all the same", () -> {
      AtomicInteger lost = new AtomicInteger();
      try (Proxy proxy = new Proxy(server.port, 0, head -> {
        boolean fits = head.contains("/meta/connect") && !head.contains("/meta/subscribe");
        return fits && lost.getAndIncrement() < 5 ? Proxy.Fault.CUT_AFTER : Proxy.Fault.NONE;
      })) {
        Heard heard = new Heard();
        CarillonChat chat = new CarillonChat(ChatTests.configuration(proxy.url()), heard);
        String session = Check.value("start", chat.start(new ChatParameters())).chatSessionId();
        Agent agent = new Agent(server);
        agent.join(session);
        agent.say(session, "first");
        agent.say(session, "second");
        Check.until("both are heard", () -> Agent.texts(heard.events(), false).size() == 2);
        Check.that("polls were lost", lost.get() > 0);
        chat.close();
        agent.close(session);
      }
    });
  }

  private static void converse(Server server, Proxy proxy, int count, long settle) throws Exception {
    Heard heard = new Heard();
    CarillonConfiguration configuration = ChatTests.configuration(proxy.url());
    configuration.requestTimeoutMilliseconds = REQUEST_MILLISECONDS;
    configuration.settleMilliseconds = settle;
    CarillonChat chat = new CarillonChat(configuration, heard);
    ChatMessage[] begun = new ChatMessage[1];
    Check.until("start", () -> {
      Outcome<ChatMessage> outcome = chat.start(new ChatParameters()).await(Check.SECONDS * 1_000);
      if (!outcome.isSuccess()) Check.that("typed: " + outcome.error(), outcome.error().mayPass());
      begun[0] = outcome.value();
      return outcome.isSuccess();
    });
    String session = begun[0].chatSessionId();
    Agent agent = new Agent(server);
    agent.join(session);
    List<String> texts = new ArrayList<>();
    List<String> said = new ArrayList<>();
    List<Pending<SentMessage>> sent = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      // Every text stands twice: one alone must not pass for both.
      texts.add("customer " + i / 2);
      sent.add(chat.send(texts.get(i)));
      said.add("agent " + i);
      agent.say(session, said.get(i));
    }
    for (Pending<SentMessage> message : sent) Check.value("sent", message);
    Check.until("heard the agent", () -> Agent.texts(heard.events(), false).size() >= count);
    ChatMessage[] transcript = new ChatMessage[1];
    Check.until("transcript", () -> (transcript[0] = chat.transcript().await(Check.SECONDS * 1_000).value()) != null);
    Check.equal("what the customer said", texts, Agent.texts(transcript[0].events(), true));
    Check.equal("what the agent said", said, Agent.texts(heard.events(), false));
    ChatTests.checkHeard(heard, transcript[0]);
    chat.close();
    agent.close(session);
  }
}
