public import CallbackDomain
public import EngineKit
import EventSourcing

/// The options of callback services. Spec: GMS 8.2, 9.8.
extension Options {
  /// An option of a callback service: what the request brought if `_overwritable_options` lists it, then the service's
  /// own section, then the section `callback`; nil leaves the built-in default. A value `$name$` stands for the
  /// request's field of that name.
  public func callback(_ service: String, _ name: String, fields: [CallbackField] = []) -> String? {
    let own = sections["service.\(service)"]
    let common = sections["callback"]
    if let field = fields.last(where: { $0.name == name }),
      let overwritable = own?["_overwritable_options"] ?? common?["_overwritable_options"],
      Self.list(overwritable).contains(name)
    {
      return field.value
    }
    guard let value = own?[name] ?? common?[name] else { return nil }
    guard value.count > 2, value.hasPrefix("$"), value.hasSuffix("$") else { return value }
    let wanted = value.dropFirst().dropLast()
    return fields.last { $0.name == wanted }?.value
  }

  /// Whether callbacks can be ordered of `service`: it is configured, and not as something else.
  package func hasCallbackService(_ service: String) -> Bool {
    guard let section = sections["service.\(service)"] else { return false }
    return section["_service"].map { $0 == "callback" } ?? true
  }

  /// The fields of a request by which its callback is found, those first that have to be there.
  func lookupKeys(ofCallback service: String) -> (all: [String], mandatory: [String]) {
    let all = callback(service, "_customer_lookup_keys").map(Self.list) ?? ["_customer_number"]
    let mandatory = callback(service, "_mandatory_customer_lookup_keys").map(Self.list) ?? ["_customer_number"]
    return (mandatory + all.filter { !mandatory.contains($0) }, mandatory)
  }
}

extension CallbackPolicy {
  /// A value that cannot be read leaves the default: the configuration has been checked at start, so this concerns
  /// values that a request brought.
  init(options: Options, service: String, fields: [CallbackField] = []) {
    self.init()
    func seconds(_ name: String, _ bounds: ClosedRange<Int64> = 0...604_800) -> Duration? {
      options.callback(service, name, fields: fields).flatMap { Int64($0) }
        .flatMap { bounds.contains($0) ? .seconds($0) : nil }
    }
    confirmTimeout = seconds("_user_confirm_timeout") ?? confirmTimeout
    if let text = options.callback(
      service, "_max_number_of_user_availability_confirmation_attempts", fields: fields), let count = Int(text),
      (0...100).contains(count)
    {
      confirmAttemptsMaximum = count
    }
    if let word = options.callback(service, "_on_user_confirm_timeout", fields: fields) {
      connectsUnconfirmed = word == "CONNECT-ANYWAY"
    }
    snoozeDuration = seconds("_snooze_duration") ?? snoozeDuration
    executionBuffer = seconds("_request_execution_time_buffer") ?? executionBuffer
    timeToLive = seconds("_ttl", 1...315_360_000) ?? timeToLive
    acceptTimeout = seconds("callback.agent_accept_timeout", 1...604_800) ?? acceptTimeout
    connectTimeout = seconds("callback.agent_connect_timeout", 1...604_800) ?? connectTimeout
    keepCompleted = seconds("callback.keep_completed", 0...315_360_000) ?? keepCompleted
  }
}
