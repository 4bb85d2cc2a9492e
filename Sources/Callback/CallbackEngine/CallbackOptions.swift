import CallbackDomain
import ChatEngine
package import OptionKit

/// Callback services, and the service that knows their opening hours. Spec: GMS 9.8.
package struct CallbackOptions: OptionTable {
  package static let keys = CallbackOptions()
  /// Of a callback that is a chat's too: how long it lives, who pushes.
  static let shared = ChatOptions.keys

  private static let callbacks: Set<SectionKind> = [.service, .callback]
  private static let standard = CallbackPolicy()

  // How one callback goes: what its request says may stand there, as `$name$`.
  let direction = Self.term(
    "_call_direction", .choice(["USERORIGINATED", "USERTERMINATED"]), default: "USERORIGINATED",
    "who dials: the customer, or we")
  let media = Self.term(
    "_media_type", .choice(["voice", "chat"]), default: "voice", "what the conversation will be")
  let waitsForAgent = Self.term(
    "_wait_for_agent", .flag, default: true, "the customer is called upon only when an agent is there")
  let confirms = Self.term(
    "_wait_for_user_confirm", .flag, default: false, "the customer is asked first, by push")
  let providesCode = Self.term("_provide_code", .flag, default: false, "the call begins with an access code")
  let confirmTimeout = Self.term(
    "_user_confirm_timeout", .wholeSeconds(0...604_800), default: standard.confirmTimeout,
    "time to answer the question")
  let confirmAttempts = Self.term(
    "_max_number_of_user_availability_confirmation_attempts", .integer(0...100),
    default: standard.confirmAttemptsMaximum, "how often the customer is asked")
  let onConfirmTimeout = Self.term(
    "_on_user_confirm_timeout", .text, default: "CONNECT-ANYWAY",
    "what follows without an answer; any other value: it fails")
  let snoozeDuration = Self.term(
    "_snooze_duration", .wholeSeconds(0...604_800), default: standard.snoozeDuration,
    "how long a customer who is not ready is left alone")
  let accessNumber = OptionKey(
    "_access_number", in: callbacks, .nonEmptyText, "number that customers dial", takes: .reload, .placeholder)
  let priority = Self.term(
    "_priority", .integer(-1_000_000...1_000_000), default: 0, "the higher is served earlier")
  let cancelItem = Self.row(
    "callback.cancel_item_action", .choice, default: CancelItem.cancel, "third item of the dialog")
  let acceptTimeout = Self.row(
    "callback.agent_accept_timeout", .wholeSeconds(1...604_800), default: standard.acceptTimeout,
    "time an agent has to take what is offered")
  let connectTimeout = Self.row(
    "callback.agent_connect_timeout", .wholeSeconds(1...604_800), default: standard.connectTimeout,
    "time an agent has then to connect")
  private let availabilityDelay = OptionKey(
    "_agent_availability_notification_delay", in: callbacks, .wholeSeconds(0...604_800), default: .seconds(30),
    "accepted for compatibility", takes: .unused)
  private let connectThreshold = OptionKey(
    "_desired_connect_time_threshold", in: callbacks, .wholeSeconds(0...604_800), default: .seconds(180),
    "accepted for compatibility", takes: .unused)

  // When there is room, how much of it, and how callbacks are found.
  let bucketMinutes = Self.row(
    "_request_time_bucket", .choice(of: [5, 10, 15, 20, 30, 60, 120]), default: 5, "minutes of a time slot")
  let bucketCapacity = Self.row(
    "_max_request_by_time_bucket", .integer(0...1_000_000), default: 100, "callbacks in one slot")
  let executionBuffer = Self.row(
    "_request_execution_time_buffer", .wholeSeconds(0...604_800), default: standard.executionBuffer,
    "so long before its time a callback comes into the queue")
  package let officeService = OptionKey(
    "_business_hours_service", in: callbacks, .nonEmptyText,
    "service that knows the opening hours; always open if absent", takes: .reload)
  let daysAhead = Self.row(
    "callback.max_days_ahead", .integer(1...366), default: 60, "how far ahead a callback may be wanted")
  let lookupKeys = Self.row(
    "_customer_lookup_keys", .list, default: ["_customer_number"], "fields that callbacks are found by")
  let mandatoryLookupKeys = Self.row(
    "_mandatory_customer_lookup_keys", .list, default: ["_customer_number"], "those of them that must be there")
  let isQueryOpen = Self.row(
    "_query_open", .flag, default: true,
    "who shows no gms_user finds callbacks without one by their keys; false: nobody does")
  let queuedMaximum = Self.row(
    "_max_queued_callbacks_per_service", .integer(0...10_000_000), default: 1_000, "callbacks that are not over")
  let keepCompleted = Self.row(
    "callback.keep_completed", .wholeSeconds(0...315_360_000), default: standard.keepCompleted,
    "how long one that is over is kept")

  // The opening hours. Each name goes on as the operator likes: `bh_regular1`, `bh_regular_weekend`.
  let timeZone = Self.row("_timezone", .timeZone, default: "UTC", "where the opening hours are kept")
  private let regularHours = Self.family(BusinessHours.Family.regular.rawValue, "weekly hours: Mon-Fri 09:00-18:00")
  private let holidays = Self.family(
    BusinessHours.Family.holiday.rawValue, "day without hours: 2026-12-25, or 12-25 for each year")
  private let additionalHours = Self.family(
    BusinessHours.Family.additional.rawValue, "hours of one day, instead of the weekday's: 2026-12-24 09:00-13:00")

  package init() {}

  /// What the third item of the dialog does.
  enum CancelItem: String, CaseIterable { case cancel, snooze }

  private static func row<Value>(
    _ name: String, _ form: OptionForm<Value>, default builtIn: Value, _ summary: String
  ) -> OptionKey<Value> { OptionKey(name, in: callbacks, form, default: builtIn, summary, takes: .reload) }

  private static func term<Value>(
    _ name: String, _ form: OptionForm<Value>, default builtIn: Value, _ summary: String
  ) -> OptionKey<Value> {
    OptionKey(name, in: callbacks, form, default: builtIn, summary, takes: .reload, .placeholder)
  }

  private static func family(_ name: String, _ summary: String) -> OptionKey<String?> {
    OptionKey(name, in: [.service], .text, summary, takes: .reload, .family)
  }
}

extension OptionForm where Value == Int {
  fileprivate static func choice(of values: [Int]) -> Self {
    Self(
      .choice(values.map { String($0) }), read: { Int($0).flatMap { values.contains($0) ? $0 : nil } },
      write: { String($0) })
  }
}
