package io.carillon.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * What a push of the server says: to be made of {@code RemoteMessage.getData()}, or of the extras of the intent that a
 * tapped notification has opened.
 *
 * <pre>{@code
 * public void onMessageReceived(RemoteMessage message) {
 *   PushContent push = PushContent.of(message.getData());
 *   if (push.kind() == PushContent.Kind.CHAT) show(push.text(), push.newTexts());
 * }
 * }</pre>
 */
public final class PushContent {
  /** What it is about. */
  public enum Kind {
    /** A chat has news: {@link PushContent#id()} is its service instance. */
    CHAT,
    /** A callback asks something: fetch the dialog of {@link PushContent#action()}. */
    CALLBACK,
    /** A support request was answered: {@link PushContent#id()} is its number. */
    SUPPORT,
    /** Nothing of Carillon's. */
    OTHER
  }

  private final Kind kind;
  private final String id;
  private final String action;
  private final String text;
  private final List<String> newTexts;

  private PushContent(Kind kind, String id, String action, String text, List<String> newTexts) {
    this.kind = kind;
    this.id = id;
    this.action = action;
    this.text = text;
    this.newTexts = Collections.unmodifiableList(newTexts);
  }

  /** Reads a push; whatever it is no push of, is {@link Kind#OTHER}. */
  public static PushContent of(Map<String, String> data) {
    List<String> texts = new ArrayList<>();
    if (data == null) return new PushContent(Kind.OTHER, "", "", "", texts);
    String request = data.get("zendesk_sdk_request_id");
    if (request == null) request = data.get("tid");
    if (request != null) return new PushContent(Kind.SUPPORT, request, "", text(data.get("body")), texts);
    Object message = null;
    try {
      message = Json.parse(text(data.get("message")));
    } catch (CarillonException noJSON) {
      // Somebody else's.
    }
    String callback = Json.string(message, "_id");
    String action = Json.string(message, "_action");
    if (callback != null && action != null) return new PushContent(Kind.CALLBACK, callback, action, "", texts);
    String service = Json.string(message, "serviceId");
    if (service == null) return new PushContent(Kind.OTHER, "", "", "", texts);
    for (Object line : Json.array(Json.member(message, "lastTranscript"))) {
      String text = Json.string(line, "Message.Text");
      if (text != null) texts.add(text);
    }
    return new PushContent(Kind.CHAT, service, "", Json.string(message, "message", ""), texts);
  }

  private static String text(String value) {
    return value == null ? "" : value;
  }

  public Kind kind() {
    return kind;
  }

  public String id() {
    return id;
  }

  /** Of a callback: the dialog to fetch. */
  public String action() {
    return action;
  }

  /** What a notification shows, unless the app has words of its own. */
  public String text() {
    return text;
  }

  /** Of a chat: what was written since the push before, oldest first. */
  public List<String> newTexts() {
    return newTexts;
  }
}
