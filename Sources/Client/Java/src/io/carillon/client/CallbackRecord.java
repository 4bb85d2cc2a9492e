package io.carillon.client;

/** One callback, as who ordered it sees it. Spec: GMS 9.5. */
public final class CallbackRecord {
  private final Object content;

  CallbackRecord(Object content) throws CarillonException {
    if (Json.string(content, "_id") == null) {
      throw new CarillonException(CarillonException.Kind.MALFORMED_RESPONSE, "a callback without an id");
    }
    this.content = content;
  }

  public String id() {
    return member("_id");
  }

  public String service() {
    return member("_service_name");
  }

  /** {@code SCHEDULED}, {@code QUEUED}, {@code ROUTING}, {@code PROCESSING} or {@code COMPLETED}. */
  public String state() {
    return member("_callback_state");
  }

  /** Why it is over, such as {@code AGENT_CONNECTED}; empty while it is not. */
  public String reason() {
    return member("_callback_reason");
  }

  /** ISO 8601. */
  public String desiredTime() {
    return member("_desired_time");
  }

  /** Any member that is text; empty if there is none. */
  public String member(String name) {
    return Json.string(content, name, "");
  }
}
