public import EventSourcing
package import OptionKit

/// Hands pushes to the world outside: APNs, a webhook, …
///
/// A provider keeps no queue and repeats nothing: order, attempts, pauses and breakers are `PushQueue`'s and
/// `CourierLaneMachine`'s. It always answers within its own time-outs.
public protocol PushProvider: Sendable {
  /// The `push_notification_type`s that it serves.
  var types: Set<String> { get }

  /// Why nothing can be sent to such a target as long as the options are as they are (a credential is missing, a file
  /// cannot be read): in a few words for the operator, with the names of options, without values. Nil if all is there.
  /// No push is queued while there is an obstacle. Spec: GMS 7.1.
  func obstacle(_ target: PushAddress, _ options: PushOptions) -> String?

  /// Why nothing can ever be sent to this address itself, whatever the options are. A push that is owed to it all the same
  /// is queued and refused, so that the operator finds it among the dead letters.
  func refusal(of target: PushAddress, _ options: PushOptions) -> String?

  /// Why a target is not to be used, for the moment when somebody sets it: as `obstacle`, and for a URL with a look at
  /// what its name leads to now. A name that nobody knows is no objection: it may come to be known. Spec: providers 4.5.
  func objection(to target: PushAddress, _ options: PushOptions) async -> String?

  /// Which lane a push to this target takes. Asked often: cheap, no I/O.
  func lane(of target: PushAddress, _ options: PushOptions) -> CourierLane

  /// Seconds between attempts, unless the option `push.retry_schedule` has others; empty: as `PushSchedule` has them.
  var retryPauses: [Double] { get }

  /// Tries once. After a restart the same attempt may come again: delivery is at least once.
  func deliver(_ delivery: PushDelivery) async -> PushOutcome

  /// The operator has reloaded: files are to be read again, credentials may have changed.
  func reload()
}

extension PushProvider {
  public func obstacle(_ target: PushAddress, _ options: PushOptions) -> String? { nil }

  public func refusal(of target: PushAddress, _ options: PushOptions) -> String? { nil }

  public func objection(to target: PushAddress, _ options: PushOptions) async -> String? { obstacle(target, options) }

  /// One lane for all that it sends.
  public func lane(of target: PushAddress, _ options: PushOptions) -> CourierLane {
    CourierLane(id: target.type, label: target.type)
  }

  public var retryPauses: [Double] { [] }

  public func reload() {}
}

/// One credential against one environment of one provider, or one endpoint: what fails together, and is bounded
/// together. Spec: providers 1.5.
public struct CourierLane: Sendable, Hashable {
  /// Unique; may hold a URL or a key's name and is never shown.
  public let id: String
  /// For metrics and logs, such as `apns:default:production`: no secret, and of few different values.
  public let label: String
  /// Attempts under way at once.
  public let inFlightMaximum: Int
  /// Attempts that may begin in a second; nil for no bound.
  public let perSecondMaximum: Int?
  /// True for an endpoint that is switched off after days without one success. Spec: providers 4.4.
  public let isEndpoint: Bool
  /// Where it leads, as operators are shown it: masked. Nil if the label says it all.
  public let endpoint: String?

  public init(
    id: String, label: String, inFlightMaximum: Int = 64, perSecondMaximum: Int? = nil, isEndpoint: Bool = false,
    endpoint: String? = nil
  ) {
    self.id = id
    self.label = label
    self.inFlightMaximum = max(1, inFlightMaximum)
    self.perSecondMaximum = perSecondMaximum
    self.isEndpoint = isEndpoint
    self.endpoint = endpoint
  }
}

/// One attempt to deliver one push.
public struct PushDelivery: Sendable {
  public let message: PushMessage
  /// The push's name for the world: a UUID in lower case, the same for its whole life (`apns-id`, `webhook-id`).
  /// Spec: providers 1.3.
  public let id: String
  /// 1 for the first attempt.
  public let attempt: Int
  public let options: PushOptions
  /// The wall clock when the attempt began.
  public let now: Timestamp
  /// Takes what the receiver answers to an attempt that delivers nothing: the beginning of the body, as it came.
  public let noteAnswer: @Sendable ([UInt8]) -> Void

  public init(
    message: PushMessage, id: String, attempt: Int, options: PushOptions, now: Timestamp,
    noteAnswer: @escaping @Sendable ([UInt8]) -> Void = { _ in }
  ) {
    self.noteAnswer = noteAnswer
    self.message = message
    self.id = id
    self.attempt = attempt
    self.options = options
    self.now = now
  }
}

/// The options that hold for one delivery: sections, tag, provider and `debug` are already resolved. Spec: GMS 8.2.
public struct PushOptions: Sendable {
  private let lookUp: @Sendable (String) -> String?
  /// Which set this is: what somebody has read in it holds for all copies.
  package let identity = Identity()

  package final class Identity: Sendable {}

  /// - Parameter lookUp: gives the value of an option by its bare name (`customhttp.url`); an empty value counts as a
  ///   value, nil means that no section has it. It always says the same.
  public init(_ lookUp: @escaping @Sendable (String) -> String?) { self.lookUp = lookUp }

  /// Options from a table.
  public init(_ values: [String: String] = [:]) { self.init { values[$0] } }

  public subscript(_ name: String) -> String? { lookUp(name) }

  /// These values in place of what there is; nil leaves it.
  package func with(_ values: [String: String?]) -> PushOptions {
    PushOptions { name in (values[name] ?? nil) ?? self[name] }
  }

  /// The options of a list that are missing or empty, for `PushProvider.obstacle`.
  package func missing(_ keys: [OptionKey<String?>]) -> String? {
    let missing = keys.filter { self[$0] == nil }.map(\.name)
    return missing.isEmpty ? nil : "not set: " + missing.joined(separator: ", ")
  }
}

extension PushOptions: OptionReader {
  package func text(of name: String) -> String? { lookUp(name) }
}
