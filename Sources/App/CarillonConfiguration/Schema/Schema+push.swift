extension Schema {
  /// Where an option of a push may stand. Spec: GMS 8.3, scope E.
  private static let everywhere: Set<SectionKind> = [.push, .pushProvider, .pushEvent, .pushProviderEvent]

  /// Notifications. Spec: GMS 8.3.
  static let push: [OptionSpecification] = [
    OptionSpecification(
      "filtering_chat_events", in: [.push, .chat], .eventTypes, default: "Notice.TypingStarted,Notice.TypingStopped",
      "event types that trigger no push and do not appear in lastTranscript (section push wins over chat)",
      takes: .reload),
    OptionSpecification(
      "pushEnabled", in: [.push],
      .choices(["android", "gcm", "ios", "httpcb", "orscb", "customhttp", "fcm", "comet"]), default: "comet",
      "the push types that may be used", takes: .reload),
    OptionSpecification(
      "defaultSubscriptionExpiration", in: [.push], .integer(30...Int(Int32.max)), default: "30",
      "seconds a subscription lives if it does not say; a bad value counts as 30", takes: .unused, isForgiving: true),
    OptionSpecification(
      "localizationFileLocation", in: [.push], .path, "texts by language", takes: .unused),

    OptionSpecification(
      "customhttp.url", in: everywhere, .url, "where pushes of type customhttp are posted to", takes: .reload,
      hasDebugForm: true),
    OptionSpecification(
      "customhttp.message", in: everywhere, .text, "text of customhttp notifications that bring none",
      takes: .unused, hasDebugForm: true),

    OptionSpecification(
      "httpcb.allow_private_addresses", in: [.push], .flag, default: "true",
      "apps may name receivers on private and loopback addresses; say false where strangers reach the server",
      takes: .restart),

    OptionSpecification(
      "fcm.apiKey", in: everywhere, .text, "credential", takes: .unused, isSecret: true, hasDebugForm: true),
    OptionSpecification("fcm.title", in: everywhere, .text, "title of the visible notification", takes: .unused),
    OptionSpecification("fcm.body", in: everywhere, .text, "text of the visible notification", takes: .unused),

    OptionSpecification(
      "android.gcm.apiKey", in: everywhere, .text, "credential", takes: .unused, isSecret: true, hasDebugForm: true),
    OptionSpecification(
      "android.gcm.retryNumber", in: everywhere, .integer(0...100), default: "2", "retries", takes: .unused,
      hasDebugForm: true),
    OptionSpecification("android.collapseKey", in: everywhere, .text, "collapse key", takes: .unused),
    OptionSpecification(
      "android.delayWhileIdle", in: everywhere, .flag, default: "false", "wait for the device to be active",
      takes: .unused),

    OptionSpecification(
      "apple.keystore", in: everywhere, .path, "PKCS#12 file of the credential", takes: .unused, hasDebugForm: true),
    OptionSpecification(
      "apple.keystorePassword", in: everywhere, .text, "password of that file", takes: .unused, isSecret: true,
      hasDebugForm: true),
    OptionSpecification("apple.alertMessage.body", in: everywhere, .text, "alert text", takes: .unused),
    OptionSpecification("apple.title", in: everywhere, .text, default: "", "alert title", takes: .unused),
    OptionSpecification("apple.alert", in: everywhere, .text, "alert", takes: .unused),
    OptionSpecification("apple.alertMessage.action-loc-key", in: everywhere, .text, "alert entry", takes: .unused),
    OptionSpecification("apple.alertMessage.loc-key", in: everywhere, .text, "alert entry", takes: .unused),
    OptionSpecification("apple.alertMessage.loc-argnames", in: everywhere, .list, "alert entry", takes: .unused),
    OptionSpecification("apple.alertMessage.launch-image", in: everywhere, .text, "alert entry", takes: .unused),
    OptionSpecification("apple.badge", in: everywhere, .integer(0...Int(Int32.max)), "badge", takes: .unused),
    OptionSpecification("apple.sound", in: everywhere, .text, "sound", takes: .unused),
    OptionSpecification(
      "apple.message_format", in: everywhere, .choice(["object", "string"]), default: "object",
      "how the message stands beside aps", takes: .unused),
    OptionSpecification(
      "apple.payload_limit", in: everywhere, .integer(64...4_096), default: "256", "bytes of the whole payload",
      takes: .unused),
  ]
}
