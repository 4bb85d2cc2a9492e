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
      "message of chat pushes; texts by language: `localizationFileLocation`", takes: .reload),
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
      "_open_by_service_id", in: chats, .flag, default: "false",
      "for apps that do not send gms_user with every request: a chat's service id alone opens also one with a user",
      takes: .reload),
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
}
