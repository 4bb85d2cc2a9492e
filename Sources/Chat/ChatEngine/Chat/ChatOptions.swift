package import ChatDomain
import EngineKit
package import OptionKit

/// Chats: how long they live, when their pushes go and what they say. Spec: GMS 8.3, scope V.
package struct ChatOptions: OptionTable {
  package static let keys = ChatOptions()

  private static let chats: Set<SectionKind> = [.service, .chat, .chatService]
  private static let chatSections: Set<SectionKind> = [.chat, .chatService]
  private static let standard = ChatPolicy()

  package let filter = OptionKey<Set<TranscriptEventType>>(
    "filtering_chat_events", in: [.push, .chat], .eventTypes, default: standard.pushFilter,
    "event types that trigger no push and do not appear in lastTranscript (section push wins over chat)",
    takes: .reload)

  private let endpointOfAll = OptionKey(
    "default_chat_endpoint", in: chatSections, .text, default: "Environment:default",
    "queue of chats whose service names none, tenant:endpoint", takes: .unused)
  private let refreshesFast = OptionKey(
    "enable-fast-chat-transcript-refresh", in: chatSections, .flag, default: false, "accepted for compatibility",
    takes: .unused)
  private let notifies = OptionKey(
    "enable_notification_mode", in: chatSections, .flag, default: false, "chat API 2", takes: .unused)
  private let pushesPayload = OptionKey(
    "push_notification_include_payload", in: chatSections, .flag, default: false, "chat API 2", takes: .unused)
  private let pushesToActiveClient = OptionKey(
    "push_notification_to_active_client", in: chatSections, .flag, "chat API 2", takes: .unused)

  package let filterOfService = OptionKey<Set<TranscriptEventType>?>(
    "_filtering_chat_events", in: chats, .eventTypes,
    "push filter of this service instead of filtering_chat_events; empty: nothing is filtered", takes: .reload)
  package let pushDelay = OptionKey(
    "_client_timeout_notification", in: chats, .wholeSeconds(0...31_536_000), default: standard.pushDelay,
    "from the first qualifying event to the first push of a background phase", takes: .reload)
  package let pushMessage = OptionKey(
    "_client_timeout_notification_message", in: chats, .text, default: standard.pushMessage,
    "message of chat pushes; texts by language: `localizationFileLocation`", takes: .reload)
  package let absenceNotice = OptionKey(
    "_agent_timeout_notification_message", in: chats, .text, default: standard.absenceNotice,
    "notice to the agent when the customer is away; empty: none", takes: .reload)
  package let returnNotice = OptionKey(
    "_agent_return_notification_message", in: chats, .text, default: standard.returnNotice,
    "notice to the agent when the customer is back; empty: none", takes: .reload)
  package let refusesEndedRefresh = OptionKey(
    "_chat_400_response_on_disconnected", in: chats, .flag, default: false,
    "refresh of an ended chat is answered with 400", takes: .reload)
  package let opensByServiceID = OptionKey(
    "_open_by_service_id", in: chats, .flag, default: standard.opensByServiceID,
    "for apps that do not send gms_user with every request: a chat's service id alone opens also one with a user",
    takes: .reload)
  private let endpoint = OptionKey(
    "_chat_endpoint", in: chats, .text, default: "gms_builtin", "queue for chats of this service", takes: .unused)
  package let cometLoss = OptionKey(
    "on_comet_lost", in: chats, .choice, default: standard.cometLoss,
    "what becomes of a chat whose Comet session expires without a word", takes: .reload)
  package let distribution = OptionKey(
    "chat.distribution", in: chats, .choice, default: ChatDistributionMode.manual,
    "who gets a chat that waits: whoever of its agents takes it, or the ready one who has been idle longest is offered it",
    takes: .reload)
  package let offerTime = OptionKey(
    "chat.offer_seconds", in: chats, .wholeSeconds(1...3_600), default: .seconds(20),
    "time an agent has to take a chat that is offered", takes: .reload)
  package let agentCapacity = OptionKey(
    "chat.agent_capacity", in: [.chat], .integer(1...1_000), default: 4,
    "chats that an agent may have and still be offered another one", takes: .reload)
  package let timeToLive = OptionKey(
    "_ttl", in: SectionKind.services, .wholeSeconds(1...315_360_000), default: standard.timeToLive,
    "life of an instance after its last use", takes: .reload)
  package let provider = OptionKey(
    "_provider_name", in: SectionKind.services, .text, default: "", "push provider", takes: .reload)
  package let usesDebugCredentials = OptionKey(
    "_use_debug_push_certificate", in: SectionKind.services, .flag, default: false, "search debug. options first",
    takes: .reload)
  package let pushAttempts = OptionKey(
    "_max_notify_delivery_attempts", in: SectionKind.services, .integer(1...100), default: 3, "attempts for each push",
    takes: .reload)

  package init() {}
}

/// How agents come to chats that wait.
package enum ChatDistributionMode: String, Sendable, CaseIterable {
  case manual
  case longestIdle = "longest-idle"
}

extension OptionStore {
  /// How many chats an agent may have and still be offered another one.
  var agentCapacity: Int { current.section(.chat)[ChatOptions.keys.agentCapacity] }
}

extension OptionForm where Value == Set<TranscriptEventType> {
  /// What is no event type is left out: that was warned of.
  fileprivate static var eventTypes: OptionForm<Set<TranscriptEventType>> {
    OptionForm(
      .eventTypes, read: { Set(OptionType.members(of: $0).compactMap(TranscriptEventType.init)) },
      write: { $0.map(\.rawValue).sorted().joined(separator: ",") })
  }
}
