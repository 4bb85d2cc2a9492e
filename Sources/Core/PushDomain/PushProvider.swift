/// Hands pushes to the world outside: APNs, a webhook, …
///
/// A provider keeps no queue and repeats nothing: order, attempts and pauses are `PushQueue`'s. It does bound what it
/// has in flight, and it always answers within its own time-outs.
public protocol PushProvider: Sendable {
  /// The `push_notification_type`s that it serves.
  var types: Set<String> { get }

  /// Options without which nothing can be sent (credentials, a URL): as long as one of them is missing or empty, no
  /// push is queued. Spec: GMS 7.1.
  var requiredOptions: [String] { get }

  /// Tries once. After a restart the same attempt may come again: delivery is at least once.
  func deliver(_ delivery: PushDelivery) async -> PushOutcome
}

extension PushProvider {
  public var requiredOptions: [String] { [] }
}

/// One attempt to deliver one push.
public struct PushDelivery: Sendable {
  public let message: PushMessage
  /// 1 for the first attempt.
  public let attempt: Int
  public let options: PushOptions

  public init(message: PushMessage, attempt: Int, options: PushOptions) {
    self.message = message
    self.attempt = attempt
    self.options = options
  }
}

/// The options that hold for one delivery: sections, tag, provider and `debug` are already resolved. Spec: GMS 8.2.
public struct PushOptions: Sendable {
  private let lookUp: @Sendable (String) -> String?

  /// - Parameter lookUp: gives the value of an option by its bare name (`customhttp.url`); an empty value counts as a
  ///   value, nil means that no section has it.
  public init(_ lookUp: @escaping @Sendable (String) -> String?) { self.lookUp = lookUp }

  /// Options from a table.
  public init(_ values: [String: String] = [:]) { self.init { values[$0] } }

  public subscript(_ name: String) -> String? { lookUp(name) }
}
