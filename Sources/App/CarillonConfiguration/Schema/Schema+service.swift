extension Schema {
  /// Where an option of a chat service may stand: the service itself, then the default for all. Spec: GMS 8.2.
  private static let chats: Set<SectionKind> = [.service, .chat, .chatService]
  private static let services: Set<SectionKind> = [.service, .chat, .chatService, .callback]

  /// Options of section `chat` alone. Spec: GMS 8.3.
  static let chat: [OptionSpecification] = [
    OptionSpecification(
      "default_chat_endpoint", in: [.chat, .chatService], .text, default: "Environment:default",
      "queue of chats whose service names none, tenant:endpoint", takes: .unused),
    OptionSpecification(
      "enable-fast-chat-transcript-refresh", in: [.chat, .chatService], .flag, default: "false",
      "accepted for compatibility", takes: .unused),
    OptionSpecification(
      "enable_notification_mode", in: [.chat, .chatService], .flag, default: "false", "chat API 2", takes: .unused),
    OptionSpecification(
      "push_notification_include_payload", in: [.chat, .chatService], .flag, default: "false", "chat API 2",
      takes: .unused),
    OptionSpecification(
      "push_notification_to_active_client", in: [.chat, .chatService], .flag, "chat API 2", takes: .unused),
  ]

  /// Options of a service. Spec: GMS 8.3, scope V.
  static let service: [OptionSpecification] = [
    OptionSpecification(
      "_filtering_chat_events", in: chats, .eventTypes,
      "push filter of this service instead of filtering_chat_events; empty: nothing is filtered", takes: .reload),
    OptionSpecification(
      "_client_timeout_notification", in: chats, .wholeSeconds(0...31_536_000), default: "90",
      "from the first qualifying event to the first push of a background phase", takes: .reload),
    OptionSpecification(
      "_client_timeout_notification_message", in: chats, .text, default: "New message from Agent",
      "message of chat pushes", takes: .reload),
    OptionSpecification(
      "_agent_timeout_notification_message", in: chats, .text, default: "customer is not online",
      "notice to the agent when the customer is away; empty: none", takes: .reload),
    OptionSpecification(
      "_agent_return_notification_message", in: chats, .text, default: "",
      "notice to the agent when the customer is back; empty: none", takes: .reload),
    OptionSpecification(
      "_chat_400_response_on_disconnected", in: chats, .flag, default: "false",
      "refresh of an ended chat is answered with 400", takes: .reload),
    OptionSpecification(
      "_chat_endpoint", in: chats, .text, default: "gms_builtin", "queue for chats of this service", takes: .unused),
    OptionSpecification(
      "on_comet_lost", in: chats, .choice(["background", "ignore"]), default: "background",
      "what becomes of a chat whose Comet session expires without a word", takes: .reload),
    OptionSpecification(
      "_ttl", in: services, .wholeSeconds(1...315_360_000), default: "86400",
      "life of an instance after its last use", takes: .reload),
    OptionSpecification(
      "_type", in: [.service], .choice(["builtin", "ors"]), "kind of service", takes: .unused),
    OptionSpecification(
      "_service", in: [.service], .text, default: "request-chat", "template of the service", takes: .reload),
    OptionSpecification(
      "username", in: [.service], .text, "Basic credential of this service, instead of the server's",
      takes: .reload),
    OptionSpecification(
      "password", in: [.service], .text, "Basic credential of this service, instead of the server's",
      takes: .reload, isSecret: true),
    OptionSpecification("_provider_name", in: services, .text, default: "", "push provider", takes: .reload),
    OptionSpecification(
      "_use_debug_push_certificate", in: services, .flag, default: "false", "search debug. options first",
      takes: .reload),
    OptionSpecification(
      "_max_notify_delivery_attempts", in: services, .integer(1...100), default: "3", "attempts for each push",
      takes: .reload),
    OptionSpecification(
      "_overwritable_options", in: services, .list, default: "", "options that a request may override",
      takes: .reload),
  ]

  /// Options of a callback service. Spec: GMS 9.8.
  static let callback: [OptionSpecification] = [
    row("_call_direction", .text, "USERORIGINATED", "direction of the call"),
    row("_media_type", .text, "voice", "medium"),
    row("_wait_for_agent", .flag, "true", "wait for an agent"),
    row("_wait_for_user_confirm", .flag, "false", "wait for the user's confirmation"),
    row("_provide_code", .flag, "false", "give an access code"),
    row("_user_confirm_timeout", .wholeSeconds(0...604_800), "30", "time to confirm"),
    row("_max_number_of_user_availability_confirmation_attempts", .integer(0...100), "3", "attempts"),
    row("_on_user_confirm_timeout", .text, "CONNECT-ANYWAY", "what happens without a confirmation"),
    row("_snooze_duration", .wholeSeconds(0...604_800), "300", "snooze"),
    row("_agent_availability_notification_delay", .wholeSeconds(0...604_800), "30", "accepted for compatibility"),
    row("_desired_connect_time_threshold", .wholeSeconds(0...604_800), "180", "accepted for compatibility"),
    row("_request_time_bucket", .choice(["5", "10", "15", "20", "30", "60", "120"]), "5", "minutes of a time slot"),
    row("_max_request_by_time_bucket", .integer(0...1_000_000), "100", "callbacks in one slot"),
    row("_request_execution_time_buffer", .wholeSeconds(0...604_800), "120", "spare time"),
    row("_business_hours_service", .text, nil, "service that knows the opening hours"),
    row("_customer_lookup_keys", .list, "_customer_number", "fields that name the customer"),
    row("_mandatory_customer_lookup_keys", .list, "_customer_number", "those of them that must be there"),
    row("_max_queued_callbacks_per_service", .integer(0...10_000_000), "1000", "bound of waiting callbacks"),
    row("callback.cancel_item_action", .choice(["cancel", "snooze"]), "cancel", "third item of the dialog"),
  ]

  private static func row(
    _ name: String, _ type: OptionType, _ defaultValue: String?, _ summary: String
  ) -> OptionSpecification {
    OptionSpecification(
      name, in: [.service, .callback], type, default: defaultValue, summary, takes: .unused)
  }
}
