extension Schema {
  /// Options of section `support`. Spec: support requests 10.
  static let support: [OptionSpecification] = [
    row("devices_per_user", .integer(1...1_000), "20", "live devices of one user; one more ends the longest silent"),
    row("identifier_max_bytes", .byteCount(64...4_096), "4096", "a device's token or channel"),
    row("bulk_unregister_max", .integer(1...10_000), "1000", "tokens that one call may unregister"),
    row("webhook_devices_per_call", .integer(1...500), "500", "devices in one call of a webhook; more make more calls"),
    row("webhook_timeout", .wholeSeconds(1...60), "10", "time a webhook has to begin its answer"),
    row(
      "refresh_grace", .seconds(0...60), "2",
      "so long an app that follows a request may say that it has shown a comment, and is not pushed; 0: not at all"),
    row("comment_max_bytes", .byteCount(1...262_144), "65536", "text of one comment"),
    row("agent_emails", .addresses, nil, "addresses of agents: no end user may sign in with them"),
    row("events_url", .url, nil, "where another help desk hears of requests and comments; nowhere if absent"),
    OptionSpecification(
      "events_secret", in: [.support], .text, "whsec_…: signs what is posted there (Standard Webhooks)",
      takes: .reload, isSecret: true),
    row("events_test", .flag, "false", "true: events_url may be plain http"),
  ]

  /// Options of one app, whose client id is the section's last part. Spec: support requests 2, 3.4, 5.
  static let supportApp: [OptionSpecification] = [
    app("app_id", .text, nil, "id by which the SDK asks for its settings; the client id if absent"),
    app("identity", .choice(["anonymous", "jwt"]), "anonymous", "how the app's users sign in"),
    app("jwt_url", .url, nil, "the app's own endpoint that says who a user is"),
    secret("jwt_secret", "shared with that endpoint, \(Limits.sharedSecretBytes.lowerBound) bytes or more"),
    app(
      "integration", .choice(["none", "webhook", "airship", "direct"]), "none",
      "who pushes: the app's back end, Airship, or this server by APNs and FCM"),
    secret("webhook_url", "where notifications are posted, unless an operator has set a URL by the API", .url),
    secret("zendesk_signature_secret", "signs them as Zendesk signs general webhooks, beside Standard Webhooks"),
    app("test", .flag, "false", "true: jwt_url and webhook_url may be plain http"),
    app("push_provider", .text, nil, "credentials, section push.provider.<name>; the client id if absent"),
    app("debug", .flag, "false", "the debug. options of those credentials come first, such as APNs' sandbox"),
    app("language", .text, nil, "texts for devices in a language that has none of its own"),
    app("notification_title", .text, "{{agent}} replied", "may say {{agent}}, {{comment}}, {{subject}}, {{ticket_id}}"),
    app("notification_body", .text, "{{comment}}", "the same"),
    app("notification_title.", .text, nil, "the same in a language: notification_title.pt-br", isFamily: true),
    app("notification_body.", .text, nil, "the same in a language: notification_body.de", isFamily: true),
    app(
      "coalesce_ms", .integer(0...3_600_000), "0",
      "milliseconds that a notification waits, in which a newer one takes its place"),
    app("conversations", .flag, "true", "what the SDK is told: users may write comments"),
    app("attachments", .flag, "true", "what the SDK is told: users may attach files"),
  ]

  /// Section `support.agents`: what agents are called.
  static let supportAgents: [OptionSpecification] = [
    OptionSpecification(
      "", in: [.supportAgents], .text, "name of an agent's token: the name that users see", takes: .reload,
      isFamily: true)
  ]

  private static func row(
    _ name: String, _ type: OptionType, _ defaultValue: String?, _ summary: String
  ) -> OptionSpecification {
    OptionSpecification(name, in: [.support], type, default: defaultValue, summary, takes: .reload)
  }

  private static func app(
    _ name: String, _ type: OptionType, _ defaultValue: String?, _ summary: String, isFamily: Bool = false
  ) -> OptionSpecification {
    OptionSpecification(
      name, in: [.supportApp], type, default: defaultValue, summary, takes: .reload, isFamily: isFamily)
  }

  private static func secret(_ name: String, _ summary: String, _ type: OptionType = .text) -> OptionSpecification {
    OptionSpecification(name, in: [.supportApp], type, summary, takes: .reload, isSecret: true)
  }
}
