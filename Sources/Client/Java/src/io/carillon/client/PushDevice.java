package io.carillon.client;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** Where the pushes of a chat go while the app is in the background. */
public final class PushDevice {
  final String type;
  final String deviceId;
  final String provider;
  final String language;
  final boolean isDebug;

  private PushDevice(String type, String deviceId, String provider, String language, boolean isDebug) {
    this.type = Objects.toString(type, "");
    this.deviceId = Objects.toString(deviceId, "");
    this.provider = Objects.toString(provider, "");
    this.language = Objects.toString(language, "");
    this.isDebug = isDebug;
  }

  /** What {@code FirebaseMessaging.getToken()} and {@code onNewToken} give. */
  public static PushDevice fcm(String registrationToken) {
    return of("fcm", registrationToken);
  }

  /** @param type {@code fcm}, {@code gcm}, {@code android}, {@code ios}, {@code customhttp} or {@code httpcb}. */
  public static PushDevice of(String type, String deviceId) {
    return new PushDevice(type, deviceId, null, null, false);
  }

  /** With the named set of credentials in place of the defaults. */
  public PushDevice withProvider(String name) {
    return new PushDevice(type, deviceId, name, language, isDebug);
  }

  /** @param tag of the texts, such as {@code de} or {@code pt-BR}. */
  public PushDevice withLanguage(String tag) {
    return new PushDevice(type, deviceId, provider, tag, isDebug);
  }

  /** With the {@code debug.} credentials. */
  public PushDevice forDebugging() {
    return new PushDevice(type, deviceId, provider, language, true);
  }

  Map<String, String> fields() {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("push_notification_type", type);
    fields.put("push_notification_deviceid", deviceId);
    if (!provider.isEmpty()) fields.put("push_notification_provider", provider);
    if (!language.isEmpty()) fields.put("push_notification_language", language);
    if (isDebug) fields.put("push_notification_debug", "true");
    return fields;
  }

  static PushDevice of(Object fields) {
    return new PushDevice(
        Json.string(fields, "push_notification_type"), Json.string(fields, "push_notification_deviceid"),
        Json.string(fields, "push_notification_provider"), Json.string(fields, "push_notification_language"),
        "true".equals(Json.string(fields, "push_notification_debug")));
  }
}
