import PushDomain

extension Schema {
  /// Where an option of a push may stand. Spec: GMS 8.3, scope E.
  static let everywhere: Set<SectionKind> = [.push, .pushProvider, .pushEvent, .pushProviderEvent]

  /// The push types that this version delivers.
  static let pushTypes = PushType.ofDevices.map(\.rawValue)

  /// Notifications. Spec: GMS 8.3.
  static let push: [OptionSpecification] =
    [
      OptionSpecification(
        "filtering_chat_events", in: [.push, .chat], .eventTypes, default: "Notice.TypingStarted,Notice.TypingStopped",
        "event types that trigger no push and do not appear in lastTranscript (section push wins over chat)",
        takes: .reload),
      OptionSpecification(
        "pushEnabled", in: [.push], .choices(pushTypes + [PushType.comet.rawValue, "orscb"]),
        default: PushType.comet.rawValue,
        "the push types that may be used", takes: .reload),
      OptionSpecification(
        "defaultSubscriptionExpiration", in: [.push], .integer(30...Int(Int32.max)), default: "30",
        "seconds a subscription lives if it does not say; a bad value counts as 30", takes: .reload, isForgiving: true),
      OptionSpecification(
        "localizationFileLocation", in: [.push], .path,
        "YAML file, language → key → text: texts of dialogs and pushes instead of the built-in ones", takes: .reload),
      row(
        "push.time_to_live", .integer(10...2_419_200), "3600",
        "seconds a push of a chat or to a subscription is worth sending"),
      row(
        "push.retry_schedule", .list, nil,
        "pauses between attempts in seconds, instead of 1, 4, 16 … and _max_notify_delivery_attempts"),
      OptionSpecification(
        "push.queue_messages", in: [.push], .integer(16...1_000), default: "1000",
        "pushes that may wait for one device or support user, and dead letters that are kept of it; the oldest goes",
        takes: .reload),
      OptionSpecification(
        "push.events_url", in: [.push], .url,
        "where the operator hears of endpoint.disabled, device.ended and message.exhausted; nowhere if absent",
        takes: .reload),
      OptionSpecification(
        "push.events_secret", in: [.push], .text,
        "whsec_…: signs what is posted there (Standard Webhooks); webhooks.secret if absent", takes: .reload,
        isSecret: true),
    ] + apple + google + webhooks + others

  /// APNs. Spec: providers 2; GMS 7.3.
  private static let apple: [OptionSpecification] = [
    row("apple.key_file", .path, nil, "signing key of the team, a .p8 file", hasDebugForm: true),
    secret("apple.key", "the same as PEM text, for the environment"),
    row("apple.key_id", .text, nil, "id of that key, 10 characters", hasDebugForm: true),
    row("apple.team_id", .text, nil, "id of the team, 10 characters", hasDebugForm: true),
    row("apple.topic", .text, nil, "the app's bundle id", hasDebugForm: true),
    row("apple.keystore", .path, nil, "PKCS#12 file of a certificate, instead of a key", hasDebugForm: true),
    secret("apple.keystorePassword", "password of that file"),
    row("apple.certificate_file", .path, nil, "certificate as PEM, instead of a key", hasDebugForm: true),
    row("apple.certificate_key_file", .path, nil, "private key of that certificate, PEM", hasDebugForm: true),
    row(
      "apple.base_url", .url, nil, "default: https://api.push.apple.com, for debug devices its sandbox",
      hasDebugForm: true),
    row("apple.ca_file", .path, nil, "trust roots instead of the system's, PEM", hasDebugForm: true),
    row("apple.server_name", .text, nil, "the name that the server's certificate has to bear", hasDebugForm: true),
    row("apple.connections", .integer(1...16), "4", "connections at once"),
    row("apple.alertMessage.body", .text, nil, "alert text; the push's own text if absent"),
    row("apple.title", .text, "", "alert title"),
    row("apple.alert", .text, nil, "alert as one text"),
    row("apple.alertMessage.action-loc-key", .text, nil, "alert entry"),
    row("apple.alertMessage.loc-key", .text, nil, "alert entry"),
    row("apple.alertMessage.loc-argnames", .list, nil, "alert entry"),
    row("apple.alertMessage.launch-image", .text, nil, "alert entry"),
    row("apple.badge", .integer(0...Int(Int32.max)), nil, "badge"),
    row("apple.sound", .text, nil, "sound"),
    row("apple.thread_id", .text, nil, "groups notifications"),
    row("apple.category", .text, nil, "kind of notification, for its buttons"),
    row(
      "apple.interruption_level", .choice(["passive", "active", "time-sensitive", "critical"]), nil,
      "how much it may interrupt"),
    row("apple.content_available", .flag, "false", "wake the app"),
    row("apple.mutable_content", .flag, "false", "let the app's extension change it"),
    row("apple.push_type", .text, nil, "apns-push-type; derived from the payload if absent"),
    row("apple.message_format", .choice(["object", "string"]), "object", "how the message stands beside aps"),
    row("apple.include_transcript", .flag, "false", "send the texts of a chat along, as far as they fit"),
    row("apple.payload_limit", .integer(64...5_120), "256", "bytes of the whole payload"),
  ]

  /// FCM, and servers that speak its old form. Spec: providers 3.
  private static let google: [OptionSpecification] = [
    row("fcm.service_account_file", .path, nil, "the service account's JSON file", hasDebugForm: true),
    secret("fcm.service_account", "the same as text, for the environment"),
    row("fcm.project_id", .text, nil, "the project, if not the service account's", hasDebugForm: true),
    row("fcm.base_url", .url, nil, "default: https://fcm.googleapis.com", hasDebugForm: true),
    row("fcm.ca_file", .path, nil, "trust roots instead of the system's, PEM", hasDebugForm: true),
    row("fcm.server_name", .text, nil, "the name that the server's certificate has to bear", hasDebugForm: true),
    row("fcm.per_second", .integer(1...1_000_000), "8000", "messages in a second"),
    secret("fcm.apiKey", "server key of the old form, without a service account"),
    row("fcm.legacy_url", .url, nil, "where the old form is posted to", hasDebugForm: true),
    row("fcm.title", .text, nil, "title of the visible notification"),
    row("fcm.body", .text, nil, "text of the visible notification"),
    row("fcm.channel_id", .text, nil, "notification channel on Android"),
    secret("android.gcm.apiKey", "server key for types gcm and android"),
    row("android.gcm.url", .url, nil, "where they are posted to", hasDebugForm: true),
    OptionSpecification(
      "android.gcm.retryNumber", in: everywhere, .integer(0...100), default: "2", "retries", takes: .unused,
      hasDebugForm: true),
    row("android.collapseKey", .text, nil, "collapse key"),
    row("android.delayWhileIdle", .flag, "false", "wait for the device to be active"),
  ]

  /// HTTP. Spec: providers 4.
  private static let webhooks: [OptionSpecification] = [
    row("customhttp.url", .url, nil, "where pushes of type customhttp are posted to", hasDebugForm: true),
    row("customhttp.message", .text, nil, "text of customhttp notifications that bring none", hasDebugForm: true),
    secret("webhooks.secret", "whsec_…: signs what is posted (Standard Webhooks)"),
    secret("webhooks.previous_secret", "signs too, while receivers change over"),
    row("webhooks.previous_secret_until", .text, nil, "ISO time from which on it does not"),
    secret("webhooks.signing_key", "whsk_…: Ed25519 key, signs too"),
    row("webhooks.success", .choice(["200", "2xx"]), "200", "the answers that count as delivered"),
    row(
      "webhooks.allow_private", .list, nil,
      "networks such as 10.0.0.0/8 that URLs given by apps may point into although they are private"),
    row("webhooks.ports", .list, "80,443,8080,8443", "ports that URLs given by apps may have"),
    row("webhooks.ca_file", .path, nil, "further trust roots, PEM"),
    OptionSpecification(
      "httpcb.allow_private_addresses", in: [.push], .flag, default: "false",
      "true: URLs given by apps may point anywhere, into your own network too", takes: .reload),
  ]

  /// Airship and Web Push. Spec: providers 5, 6.
  private static let others: [OptionSpecification] = [
    row("airship.app_key", .text, nil, "the app's key", hasDebugForm: true),
    secret("airship.master_secret", "its master secret"),
    row("airship.base_url", .url, nil, "default: https://go.urbanairship.com", hasDebugForm: true),
    row("airship.ca_file", .path, nil, "trust roots instead of the system's, PEM", hasDebugForm: true),
    row("webpush.private_key_file", .path, nil, "VAPID key, PEM", hasDebugForm: true),
    secret("webpush.private_key", "VAPID key as base64url or PEM text"),
    row("webpush.subject", .text, nil, "mailto: or https: address of the operator", hasDebugForm: true),
    row("webpush.ca_file", .path, nil, "trust roots instead of the system's, PEM", hasDebugForm: true),
  ]

  private static func row(
    _ name: String, _ type: OptionType, _ defaultValue: String?, _ summary: String, hasDebugForm: Bool = false
  ) -> OptionSpecification {
    OptionSpecification(
      name, in: everywhere, type, default: defaultValue, summary, takes: .reload, hasDebugForm: hasDebugForm)
  }

  private static func secret(_ name: String, _ summary: String) -> OptionSpecification {
    OptionSpecification(name, in: everywhere, .text, summary, takes: .reload, isSecret: true, hasDebugForm: true)
  }
}
