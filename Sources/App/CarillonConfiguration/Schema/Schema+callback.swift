extension Schema {
  private static let callbacks: Set<SectionKind> = [.service, .callback]

  /// Options of a callback service, and of the service that knows its opening hours. Spec: GMS 9.8.
  static let callback: [OptionSpecification] = terms + bounds + hours

  /// How one callback goes: what its request says may stand there, as `$name$`.
  private static let terms: [OptionSpecification] = [
    term(
      "_call_direction", .choice(["USERORIGINATED", "USERTERMINATED"]), "USERORIGINATED",
      "who dials: the customer, or we"),
    term("_media_type", .choice(["voice", "chat"]), "voice", "what the conversation will be"),
    term("_wait_for_agent", .flag, "true", "the customer is called upon only when an agent is there"),
    term("_wait_for_user_confirm", .flag, "false", "the customer is asked first, by push"),
    term("_provide_code", .flag, "false", "the call begins with an access code"),
    term("_user_confirm_timeout", .wholeSeconds(0...604_800), "30", "time to answer the question"),
    term(
      "_max_number_of_user_availability_confirmation_attempts", .integer(0...100), "3",
      "how often the customer is asked"
    ),
    term(
      "_on_user_confirm_timeout", .text, "CONNECT-ANYWAY", "what follows without an answer; any other value: it fails"),
    term("_snooze_duration", .wholeSeconds(0...604_800), "300", "how long a customer who is not ready is left alone"),
    term("_access_number", .text, nil, "number that customers dial"),
    term("_priority", .integer(-1_000_000...1_000_000), "0", "the higher is served earlier"),
    row("callback.cancel_item_action", .choice(["cancel", "snooze"]), "cancel", "third item of the dialog"),
    row("callback.agent_accept_timeout", .wholeSeconds(1...604_800), "30", "time an agent has to take what is offered"),
    row("callback.agent_connect_timeout", .wholeSeconds(1...604_800), "300", "time an agent has then to connect"),
    unused("_agent_availability_notification_delay", .wholeSeconds(0...604_800), "30"),
    unused("_desired_connect_time_threshold", .wholeSeconds(0...604_800), "180"),
  ]

  /// When there is room, how much of it, and how callbacks are found.
  private static let bounds: [OptionSpecification] = [
    row("_request_time_bucket", .choice(["5", "10", "15", "20", "30", "60", "120"]), "5", "minutes of a time slot"),
    row("_max_request_by_time_bucket", .integer(0...1_000_000), "100", "callbacks in one slot"),
    row(
      "_request_execution_time_buffer", .wholeSeconds(0...604_800), "120",
      "so long before its time a callback comes into the queue"),
    row("_business_hours_service", .text, nil, "service that knows the opening hours; always open if absent"),
    row("callback.max_days_ahead", .integer(1...366), "60", "how far ahead a callback may be wanted"),
    row("_customer_lookup_keys", .list, "_customer_number", "fields that callbacks are found by"),
    row("_mandatory_customer_lookup_keys", .list, "_customer_number", "those of them that must be there"),
    row(
      "_query_open", .flag, "true",
      "who shows no gms_user finds callbacks without one by their keys; false: nobody does"),
    row("_max_queued_callbacks_per_service", .integer(0...10_000_000), "1000", "callbacks that are not over"),
    row("callback.keep_completed", .wholeSeconds(0...315_360_000), "86400", "how long one that is over is kept"),
  ]

  /// The opening hours. Each name goes on as the operator likes: `bh_regular1`, `bh_regular_weekend`.
  private static let hours: [OptionSpecification] = [
    row("_timezone", .timeZone, "UTC", "where the opening hours are kept"),
    family("bh_regular", "weekly hours: Mon-Fri 09:00-18:00"),
    family("bh_holiday", "day without hours: 2026-12-25, or 12-25 for each year"),
    family("bh_additional", "hours of one day, instead of the weekday's: 2026-12-24 09:00-13:00"),
  ]

  private static func row(
    _ name: String, _ type: OptionType, _ defaultValue: String?, _ summary: String
  ) -> OptionSpecification {
    OptionSpecification(name, in: callbacks, type, default: defaultValue, summary, takes: .reload)
  }

  private static func term(
    _ name: String, _ type: OptionType, _ defaultValue: String?, _ summary: String
  ) -> OptionSpecification {
    OptionSpecification(
      name, in: callbacks, type, default: defaultValue, summary, takes: .reload, takesPlaceholder: true)
  }

  private static func unused(_ name: String, _ type: OptionType, _ defaultValue: String) -> OptionSpecification {
    OptionSpecification(
      name, in: callbacks, type, default: defaultValue, "accepted for compatibility", takes: .unused)
  }

  private static func family(_ name: String, _ summary: String) -> OptionSpecification {
    OptionSpecification(name, in: [.service], .text, summary, takes: .reload, isFamily: true)
  }
}
