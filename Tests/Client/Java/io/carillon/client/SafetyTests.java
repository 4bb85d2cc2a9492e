package io.carillon.client;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** No call of an app throws, whatever it is called with. */
final class SafetyTests {
  private SafetyTests() {}

  static void add(Map<String, ClientTests.Test> tests) {
    tests.put("addresses that are none are typed errors", () -> {
      for (String url : Arrays.asList(
          null, "", "localhost:8080", "ftp://host", "http://", "http://host:0", "http://host:70000", "http://a b",
          "http://user@host", "http://host/?q", "https://host:x")) {
        CarillonChat chat = new CarillonChat(new CarillonConfiguration(url, "user"), event -> { });
        Check.equal(
            String.valueOf(url), CarillonException.Kind.INVALID_ADDRESS,
            Check.error("start", chat.start(new ChatParameters())).kind());
        Check.equal(
            String.valueOf(url), CarillonException.Kind.INVALID_ADDRESS, Check.error("send", chat.send("x")).kind());
        chat.close();
      }
      Check.equal("IPv6", "https://[::1]/base", ServerAddress.parse("https://[::1]:443/base/").toString());
    });
    tests.put("no network, no text, no state: typed errors", () -> {
      CarillonChat chat = new CarillonChat(new CarillonConfiguration("http://127.0.0.1:1", "user"), event -> { });
      CarillonException unreachable = Check.error("start", chat.start(new ChatParameters()));
      Check.equal("start", CarillonException.Kind.UNREACHABLE, unreachable.kind());
      Check.that("certainly not done", unreachable.isUndone() && unreachable.mayPass());
      Check.equal("null", CarillonException.Kind.INVALID_ARGUMENT, Check.error("send", chat.send(null)).kind());
      Check.equal("empty", CarillonException.Kind.INVALID_ARGUMENT, Check.error("send", chat.send("")).kind());
      Check.equal("typing", CarillonException.Kind.INVALID_STATE, Check.error("typing", chat.typing(true, "H")).kind());
      Check.equal("end", CarillonException.Kind.INVALID_STATE, Check.error("end", chat.end()).kind());
      Check.equal("null", CarillonException.Kind.INVALID_ARGUMENT, Check.error("start", chat.start(null)).kind());
      Pending<SentMessage> waiting = chat.send("later");
      chat.close();
      Check.equal("closed", CarillonException.Kind.STOPPED, Check.error("waiting", waiting).kind());
      Check.equal("closed", CarillonException.Kind.STOPPED, Check.error("send", chat.send("x")).kind());
    });
    tests.put("a user key with a line break makes no header", () -> {
      CarillonCallbacks callbacks = new CarillonCallbacks(
          new CarillonConfiguration("http://127.0.0.1:1", "a\r\nAuthorization: Bearer b"));
      Check.equal(
          "kind", CarillonException.Kind.INVALID_ARGUMENT, Check.error("show", callbacks.show("callback", "1")).kind());
    });
    tests.put("an executor that refuses and one whose work throws do no harm", () -> {
      AtomicInteger told = new AtomicInteger();
      CarillonConfiguration configuration = new CarillonConfiguration("http://127.0.0.1:1", "user");
      configuration.callbackExecutor = work -> {
        throw new IllegalStateException("the app ends");
      };
      configuration.failureHandler = failure -> {
        told.incrementAndGet();
        throw new IllegalStateException("so does this");
      };
      CarillonChat chat = new CarillonChat(configuration, event -> { });
      Pending<ChatMessage> started = chat.start(new ChatParameters());
      started.whenDone(outcome -> { });
      Check.error("start", started);
      Check.until("told", () -> told.get() > 0);
      configuration.callbackExecutor = null;
      CarillonChat other = new CarillonChat(configuration, event -> { });
      int before = told.get();
      other.start(new ChatParameters()).whenDone(outcome -> {
        throw new IllegalStateException("a listener");
      });
      Check.until("told of the listener", () -> told.get() > before);
    });
    tests.put("a store that is damaged, torn or cannot be written", () -> {
      Path file = Files.createTempFile("carillon-store-", ".jsonl");
      Files.write(
          file, ("{\"chat\":\"1\"}\nrubbish\n{\"add\":\"m1\",\"as\":\"send\",\"text\":\"Hi\"}\n{\"unknown\":1}\n"
              + "{\"add\":\"m2\",\"te")
              .getBytes());
      ChatState state = new ChatState(new FileStore(file.toFile()));
      state.load();
      Check.equal("chat", "1", state.serviceId);
      Check.equal("entries", 1, state.entries().size());
      state.add("m3", "send", "Hello");
      ChatState again = new ChatState(new FileStore(file.toFile()));
      again.load();
      Check.equal("behind the torn line", 2, again.entries().size());
      Files.delete(file);
      CarillonChat chat = new CarillonChat(
          new CarillonConfiguration("http://127.0.0.1:1", "user"), event -> { },
          new FileStore(file.resolve("no").resolve("folder").toFile()));
      Check.equal("kind", CarillonException.Kind.STORE_FAILED, Check.error("send", chat.send("x")).kind());
      chat.close();
    });
    tests.put("pushes are told apart", () -> {
      PushContent chat = PushContent.of(Collections.singletonMap(
          "message", "{\"message\":\"New\",\"serviceId\":\"1-2\",\"lastTranscript\":[{\"Message.Text\":\"Hi\"},7]}"));
      Check.equal("kind", PushContent.Kind.CHAT, chat.kind());
      Check.equal("texts", Collections.singletonList("Hi"), chat.newTexts());
      PushContent callback = PushContent.of(Collections.singletonMap(
          "message", "{\"_id\":\"A\",\"_action\":\"connect\"}"));
      Check.equal("kind", PushContent.Kind.CALLBACK, callback.kind());
      Check.equal("kind", PushContent.Kind.SUPPORT, PushContent.of(Collections.singletonMap("tid", "7")).kind());
      for (String other : Arrays.asList("", "{", "[]", "{\"_id\":1,\"_action\":2}", "{\"serviceId\":{}}")) {
        Check.equal(other, PushContent.Kind.OTHER, PushContent.of(Collections.singletonMap("message", other)).kind());
      }
      Check.equal("null", PushContent.Kind.OTHER, PushContent.of(null).kind());
    });
  }
}
