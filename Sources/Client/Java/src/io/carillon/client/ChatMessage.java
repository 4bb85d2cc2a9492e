package io.carillon.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The "chat response" object: the reply to every chat operation, and what a notification carries. Spec: GMS 3.5. */
public final class ChatMessage {
  private final String chatSessionId;
  private final boolean isOver;
  private final long position;
  private final String startedAt;
  private final List<ChatEvent> events;

  private ChatMessage(String chatSessionId, boolean isOver, long position, String startedAt, List<ChatEvent> events) {
    this.chatSessionId = chatSessionId;
    this.isOver = isOver;
    this.position = position;
    this.startedAt = startedAt;
    this.events = Collections.unmodifiableList(events);
  }

  static ChatMessage parse(Object value) throws CarillonException {
    String session = Json.string(value, "chatSessionId");
    String state = Json.string(value, "chatIxnState", "");
    long position = Json.integer(value, "transcriptPosition", -1);
    if (session == null || position < 0 || !state.matches("CONNECTED|TRANSCRIPT|DISCONNECTED")) {
      throw new CarillonException(CarillonException.Kind.MALFORMED_RESPONSE, "no chat response");
    }
    List<Object> tuples = Json.array(Json.member(value, "transcriptToShow"));
    List<ChatEvent> events = new ArrayList<>();
    for (Object element : tuples) {
      List<Object> tuple = Json.array(element);
      if (tuple.size() < 5) {
        throw new CarillonException(CarillonException.Kind.MALFORMED_RESPONSE, "an event that is no tuple of five");
      }
      // A message at position p with n tuples holds the events p−n+1 … p. Spec: GMS 5.2.
      events.add(
          new ChatEvent(
              position - tuples.size() + 1 + events.size(), text(tuple, 0), text(tuple, 1), text(tuple, 2),
              Json.integer(Json.of("seconds", tuple.get(3)), "seconds", 0), text(tuple, 4)));
    }
    return new ChatMessage(
        session, state.equals("DISCONNECTED"), position, Json.string(value, "startedAt", ""), events);
  }

  private static String text(List<Object> tuple, int place) {
    return tuple.get(place) == null ? "" : String.valueOf(tuple.get(place));
  }

  public String chatSessionId() {
    return chatSessionId;
  }

  /** The chat is over. */
  public boolean isOver() {
    return isOver;
  }

  /** The number of the last event contained in or preceding this message. */
  public long position() {
    return position;
  }

  /** {@code YYYY-MM-DDThh:mm:ssZ}. */
  public String startedAt() {
    return startedAt;
  }

  /** Oldest first. */
  public List<ChatEvent> events() {
    return events;
  }
}
