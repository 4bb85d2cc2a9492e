public import Logging
import Metrics
import Synchronization

/// Tells of whoever tried what they may not: a metric counts all of it, and the log has at most one line a minute for
/// each kind, with how often it has happened since the line before.
///
/// Lines name the address that the attempt came from, never a key, a token or an id.
public final class SecurityLog: Sendable {
  /// What was tried and refused.
  public struct Kind: Sendable, Hashable {
    /// For metrics: small letters and underscores.
    public let name: String
    /// For people.
    public let message: String

    public init(_ name: String, _ message: String) {
      self.name = name
      self.message = message
    }
  }

  private struct Entry {
    let counter: Counter
    /// When the next line may be written.
    var quietUntil = Int64.min
    var unsaid = 0
  }

  /// Between two lines of one kind.
  public static let intervalMilliseconds: Int64 = 60_000
  /// Kinds are written in the program, so there are few; what is beyond is a mistake there, and left out.
  private static let kindsMaximum = 256

  private let logger: Logger
  private let milliseconds: @Sendable () -> Int64
  private let entries = Mutex<[String: Entry]>([:])

  /// - Parameter milliseconds: a clock that nobody sets back.
  public init(logger: Logger, milliseconds: @escaping @Sendable () -> Int64) {
    self.logger = logger
    self.milliseconds = milliseconds
  }

  /// - Parameters:
  ///   - address: where it came from, as far as that is known.
  ///   - reason: in a few words, without anything that a stranger has sent.
  public func note(_ kind: Kind, from address: (any CustomStringConvertible)?, reason: String? = nil) {
    let now = milliseconds()
    let unsaid = entries.withLock { entries -> Int? in
      guard entries.count < Self.kindsMaximum || entries[kind.name] != nil else { return nil }
      var entry =
        entries[kind.name]
        ?? Entry(counter: Counter(NodeMetricKeys.keys.refusals, dimensions: [("reason", kind.name)]))
      entry.counter.increment()
      defer { entries[kind.name] = entry }
      guard now >= entry.quietUntil else {
        entry.unsaid += 1
        return nil
      }
      entry.quietUntil = now + Self.intervalMilliseconds
      defer { entry.unsaid = 0 }
      return entry.unsaid
    }
    guard let unsaid else { return }
    var metadata: Logger.Metadata = ["kind": "\(kind.name)"]
    if let address { metadata["address"] = "\(address)" }
    if let reason { metadata["reason"] = "\(reason)" }
    if unsaid > 0 { metadata["moreSinceLastLine"] = "\(unsaid)" }
    logger.warning("security: \(kind.message)", metadata: metadata)
  }
}
