package io.carillon.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** An agent's side, as much as the tests need of it. */
final class Agent {
  private final Http http;

  Agent(Server server) throws CarillonException {
    http = server.http(Collections.singletonMap("Authorization", "Bearer " + server.token("anna")));
  }

  void join(String chat) throws CarillonException {
    ask("POST", path(chat, "join"), Json.of("nickname", "Anna"));
  }

  void say(String chat, String text) throws CarillonException {
    ask("POST", path(chat, "messages"), Json.of("text", text));
  }

  void close(String chat) throws CarillonException {
    ask("POST", path(chat, "close"), Json.of());
  }

  Object ask(String method, String path, Object body) throws CarillonException {
    return http.json(method, path, body, Check.SECONDS * 1_000);
  }

  private static String path(String chat, String act) {
    return "/agent/1/chats/" + chat + "/" + act;
  }

  static List<String> texts(List<ChatEvent> events, boolean ofCustomer) {
    List<String> texts = new ArrayList<>();
    for (ChatEvent event : events) {
      if (event.type().equals("Message.Text") && event.isFromCustomer() == ofCustomer) texts.add(event.text());
    }
    return texts;
  }
}
