package io.carillon.client;

import java.util.LinkedHashMap;
import java.util.Map;

/** What the start of a chat brings along; null or empty: nothing of it. Spec: GMS 3.4. */
public final class ChatParameters {
  /**
   * The id of a service instance that is there already, such as that of a callback whose dialog says to start the chat;
   * null to make one of the configuration's service.
   */
  public String instance;
  public String firstName;
  public String lastName;
  /** The name shown in the transcript; if empty, the server takes first and last name. */
  public String displayName;
  public String email;
  public String subject;
  /** The first text, posted right after the join. */
  public String message;
  public PushDevice device;
  /** Attached data. Names that begin with {@code _} are options. */
  public Map<String, String> data = new LinkedHashMap<>();

  Map<String, String> fields() {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("notify_by", "comet");
    put(fields, "firstName", firstName);
    put(fields, "lastName", lastName);
    put(fields, "userDisplayName", displayName);
    put(fields, "email", email);
    put(fields, "subject", subject);
    put(fields, "message", message);
    if (device != null) fields.putAll(device.fields());
    for (Map.Entry<String, String> pair : data.entrySet()) put(fields, pair.getKey(), pair.getValue());
    return fields;
  }

  private static void put(Map<String, String> fields, String name, String value) {
    if (name != null && value != null && !value.isEmpty()) fields.put(name, value);
  }
}
