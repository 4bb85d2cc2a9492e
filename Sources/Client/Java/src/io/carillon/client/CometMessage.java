package io.carillon.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One Bayeux message from the server: a reply, or an event on a channel. */
final class CometMessage {
  final String channel;
  final String id;
  final String clientId;
  /** Null in events. */
  final Boolean successful;
  final String error;
  /** Null if there is none. */
  final Object advice;
  final Object data;

  private CometMessage(Object message, String channel) {
    this.channel = channel;
    Object number = Json.member(message, "id");
    id = number == null ? null : String.valueOf(number);
    clientId = Json.string(message, "clientId");
    Object success = Json.member(message, "successful");
    successful = success instanceof Boolean ? (Boolean) success : null;
    error = Json.string(message, "error", "");
    Object said = Json.member(message, "advice");
    advice = said instanceof Map ? said : null;
    data = Json.member(message, "data");
  }

  /** Reads the array of messages that a response holds. */
  static List<CometMessage> parse(byte[] bytes) throws CarillonException {
    Object value = Json.parse(bytes);
    if (!(value instanceof List)) throw malformed("no array of Bayeux messages");
    List<CometMessage> messages = new ArrayList<>();
    for (Object element : Json.array(value)) {
      String channel = Json.string(element, "channel");
      if (channel == null) throw malformed("a message without a channel");
      messages.add(new CometMessage(element, channel));
    }
    return messages;
  }

  boolean isReply() {
    return successful != null;
  }

  boolean isSuccess() {
    return Boolean.TRUE.equals(successful);
  }

  /** The session is not known any more. */
  boolean asksForHandshake() {
    return error.startsWith("402:") || "handshake".equals(Json.string(advice, "reconnect"));
  }

  CarillonException failure() {
    return new CarillonException(CarillonException.Kind.UNSUCCESSFUL, error.isEmpty() ? channel : error);
  }

  private static CarillonException malformed(String message) {
    return new CarillonException(CarillonException.Kind.MALFORMED_RESPONSE, message);
  }
}
