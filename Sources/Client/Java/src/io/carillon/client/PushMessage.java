package io.carillon.client;

import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** One message for an app of this device. */
public final class PushMessage {
  private final String id;
  private final String from;
  private final String app;
  private final Map<String, String> data = new LinkedHashMap<>();
  private final byte[] body;

  private PushMessage(String id, String from, String app, Object text) {
    this.id = id;
    this.from = from;
    this.app = app;
    Object pairs = Json.member(text, "data");
    for (String name : Json.object(pairs).keySet()) data.put(name, Json.string(pairs, name, ""));
    byte[] raw = {};
    try {
      raw = Base64.getDecoder().decode(Json.string(text, "raw", ""));
    } catch (IllegalArgumentException failure) {
      // Nothing that an app could decrypt.
    }
    body = raw;
  }

  /** Null for a text that is no message. */
  static PushMessage parse(Object text) {
    String id = Json.string(text, "id");
    String from = Json.string(text, "from");
    String app = Json.string(text, "category");
    return id == null || from == null || app == null ? null : new PushMessage(id, from, app, text);
  }

  /** The same however often it comes. */
  public String id() {
    return id;
  }

  /** A sender's id, or {@code /topics/NAME}. */
  public String from() {
    return from;
  }

  public String app() {
    return app;
  }

  public Map<String, String> data() {
    return Collections.unmodifiableMap(data);
  }

  /** What only the app can read, as Web Push sends it; empty for none. */
  public byte[] body() {
    return body.clone();
  }

  /** How many messages the server has dropped, if this is what it says; -1 if it is not. */
  public long deletedCount() {
    return "deleted_messages".equals(data.get("message_type")) ? Json.integer(data, "total_deleted", 0) : -1;
  }
}
