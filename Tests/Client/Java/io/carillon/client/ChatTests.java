package io.carillon.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

/** Chats with a real server, which is killed. */
final class ChatTests {
  private final Server server;

  private ChatTests(Server server) {
    this.server = server;
  }

  static void add(Map<String, ClientTests.Test> tests, Server server) {
    ChatTests chats = new ChatTests(server);
    tests.put("a conversation, from its start to its end", chats::conversation);
    tests.put("the server is killed in mid-conversation: nothing missed, nothing sent twice",
        chats::killedInForeground);
    tests.put("the server and the app are killed in the background: nothing missed, nothing sent twice",
        chats::killedInBackground);
    tests.put("a standby's address takes over", chats::secondAddress);
  }

  static CarillonConfiguration configuration(String url) {
    CarillonConfiguration configuration = new CarillonConfiguration(url, "java-" + UUID.randomUUID());
    configuration.backOff = new BackOff(20, 200);
    configuration.requestTimeoutMilliseconds = 30_000;
    configuration.settleMilliseconds = 300;
    return configuration;
  }

  private void conversation() throws Exception {
    Heard heard = new Heard();
    CarillonChat chat = new CarillonChat(configuration(server.url()), heard);
    ChatParameters parameters = new ChatParameters();
    parameters.firstName = "Mia";
    parameters.message = "Good morning";
    parameters.device = PushDevice.fcm("token-1");
    String session = Check.value("start", chat.start(parameters)).chatSessionId();
    Check.equal("again", CarillonException.Kind.INVALID_STATE, Check.error("start", chat.start(parameters)).kind());
    Agent agent = new Agent(server);
    agent.join(session);
    agent.say(session, "How can I help?");
    Check.value("typing", chat.typing(true, "Whe"));
    Check.value("data", chat.updateData(Collections.singletonMap("order", "81")));
    Check.value("device", chat.deviceChanged(PushDevice.fcm("token-2")));
    List<String> texts = new ArrayList<>(Arrays.asList("Good morning"));
    for (String text : Arrays.asList(
        "Where is it?", " blanks at both ends ", "lines\nand\ttabs", "\"quoted\" & <tagged> + 100%",
        "\uD83D\uDE00 größer",
        "half a pair \uD83D")) {
      SentMessage sent = Check.value(text, chat.send(text));
      texts.add(text.replace("pair \uD83D", "pair ?"));
      Check.until("heard", () -> heard.count() >= sent.position());
      Check.equal("at its position", texts.get(texts.size() - 1), heard.events().get((int) sent.position() - 1).text());
    }
    Check.value("notice", chat.notice("reads the offer"));
    Check.value("URL", chat.sendUrl("https://shop.example/82"));
    SentMessage once = Check.value("once", chat.send("my-id", "once"));
    Check.equal("the same id", once.position(), Check.value("again", chat.send("my-id", "once")).position());
    texts.add("once");
    CarillonException tooLong = Check.error("too long", chat.send(new String(new char[100_000]).replace('\0', 'x')));
    Check.equal("refused", 413, tooLong.status());
    Check.equal("transcript", texts, Agent.texts(Check.value("transcript", chat.transcript()).events(), true));
    Check.value("end", chat.end());
    Check.until("over", () -> chat.phase() == ChatPhase.ENDED);
    Check.equal("over", CarillonException.Kind.ENDED, Check.error("send", chat.send("too late")).kind());
    checkHeard(heard, Check.value("it stays readable", chat.transcript()));
  }

  private void killedInForeground() throws Exception {
    Heard heard = new Heard();
    CarillonChat chat = new CarillonChat(configuration(server.url()), heard);
    String session = Check.value("start", chat.start(new ChatParameters())).chatSessionId();
    Agent agent = new Agent(server);
    agent.join(session);
    AtomicBoolean isOver = new AtomicBoolean();
    List<String> said = Collections.synchronizedList(new ArrayList<>());
    Thread talking = new Thread(() -> talk(agent, session, said, isOver));
    talking.setDaemon(true);
    talking.start();
    List<String> texts = new ArrayList<>();
    List<Pending<SentMessage>> sent = new ArrayList<>();
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 60; i++) {
        texts.add("customer " + round + "." + i % 20);
        sent.add(chat.send(texts.get(texts.size() - 1)));
      }
      int before = heard.count();
      Check.until("in the middle", () -> heard.count() > before + 15);
      server.kill();
      chat.send("kill " + round);
      texts.add("kill " + round);
      server.start();
    }
    for (Pending<SentMessage> message : sent) Check.value("sent", message);
    Check.until("the last one", () -> chat.waitingIds().isEmpty());
    isOver.set(true);
    talking.join();
    agent.say(session, "that was all");
    Check.until("heard it", () -> Agent.texts(heard.events(), false).contains("that was all"));
    ChatMessage transcript = Check.value("transcript", chat.transcript());
    Check.equal("what the customer said", texts, Agent.texts(transcript.events(), true));
    Check.that("what the agent said", Agent.texts(transcript.events(), false).containsAll(said));
    checkHeard(heard, transcript);
    Check.that("it was a rough time", !heard.troubles().isEmpty());
    Check.value("end", chat.end());
  }

  private void killedInBackground() throws Exception {
    FileStore store = new FileStore(server.folder().resolve("chat").toFile());
    CarillonConfiguration configuration = configuration(server.url());
    Heard heard = new Heard();
    CarillonChat chat = new CarillonChat(configuration, heard, store);
    String session = Check.value("start", chat.start(new ChatParameters())).chatSessionId();
    Agent agent = new Agent(server);
    agent.join(session);
    Check.value("said", chat.send("before"));
    Check.until("heard", () -> Agent.texts(heard.events(), true).contains("before"));
    Check.value("background", chat.enterBackground());
    agent.say(session, "one");
    server.kill();
    chat.send("offline-1", "while nobody was there");
    Check.until("it waits", () -> chat.waitingIds().contains("offline-1"));
    server.start();
    agent.say(session, "two");
    chat.returnToForeground();
    Check.until("caught up", () -> Agent.texts(heard.events(), false).equals(Arrays.asList("one", "two")));
    Check.value("background", chat.enterBackground());
    server.kill();
    chat.send("offline-2", "and once more");
    Check.until("it waits", () -> chat.waitingIds().contains("offline-2"));
    // As an app that the system kills: no word to anybody.
    Check.value("close", chat.close());
    server.start();
    agent.say(session, "three");
    Heard later = new Heard();
    CarillonChat reborn = new CarillonChat(configuration, later, store);
    Check.value("taken up", reborn.start(new ChatParameters()));
    Check.value("the same id", reborn.send("offline-2", "and once more"));
    Check.until("caught up", () -> Agent.texts(later.events(), false).equals(Arrays.asList("three")));
    Check.until("all sent", () -> reborn.waitingIds().isEmpty());
    ChatMessage transcript = Check.value("transcript", reborn.transcript());
    Check.equal(
        "once each", Arrays.asList("before", "while nobody was there", "and once more"),
        Agent.texts(transcript.events(), true));
    Check.until("heard all", () -> heard.count() + later.count() >= transcript.position());
    List<Long> positions = new ArrayList<>();
    for (ChatEvent event : heard.events()) positions.add(event.position());
    for (ChatEvent event : later.events()) positions.add(event.position());
    List<Long> all = new ArrayList<>();
    for (long position = 1; position <= transcript.position(); position++) all.add(position);
    Check.equal("each event in one of both lives", all, positions);
    agent.close(session);
    Check.until("over", () -> reborn.phase() == ChatPhase.ENDED);
  }

  private void secondAddress() throws Exception {
    CarillonConfiguration configuration = configuration("http://127.0.0.1:1");
    configuration.alternatives = Arrays.asList("http://127.0.0.1:2", server.url());
    CarillonChat chat = new CarillonChat(configuration, event -> { });
    Check.value("start", chat.start(new ChatParameters()));
    Check.value("said", chat.send("Hello"));
    Check.value("end", chat.end());
  }

  private static void talk(Agent agent, String session, List<String> said, AtomicBoolean isOver) {
    for (int i = 0; !isOver.get(); i++) {
      try {
        agent.say(session, "agent " + i);
        said.add("agent " + i);
      } catch (CarillonException killed) {
        // Whether it was taken is open; what was taken must be heard.
      }
      try {
        Thread.sleep(20);
      } catch (InterruptedException interrupted) {
        return;
      }
    }
  }

  /** Everything in the transcript was heard, once and in order. */
  static void checkHeard(Heard heard, ChatMessage transcript) throws Exception {
    Check.until("heard all", () -> heard.count() >= transcript.position());
    List<String> expected = new ArrayList<>();
    for (ChatEvent event : transcript.events()) expected.add(event.toString());
    List<String> found = new ArrayList<>();
    for (ChatEvent event : heard.events()) found.add(event.toString());
    Check.equal("heard", expected, found);
  }
}
