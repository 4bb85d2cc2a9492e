/// How many polls of each browser are held: browsers keep few connections to one server, and a held poll has one for as
/// long as it is held. Spec: Bayeux 1.0, "Multiple clients operation".
public struct BrowserPolls: Sendable, Equatable {
  /// Of one browser; nil: any number of them.
  private let maximum: Int?
  private var counts: [String: Int] = [:]

  /// - Parameter maximum: `cometd.maxSessionsPerBrowser`; negative: any number.
  public init(maximum: Int) { self.maximum = maximum < 0 ? nil : maximum }

  /// Polls that are held, of all browsers that are counted.
  public var count: Int { counts.values.reduce(0, +) }

  /// A place for one more poll of this browser; `leave` gives it back. - Returns: false if it has as many as it may.
  public mutating func enter(_ browser: String) -> Bool {
    guard let maximum else { return true }
    let count = counts[browser, default: 0]
    guard count < maximum else { return false }
    counts[browser] = count + 1
    return true
  }

  /// A poll that has a place is held no longer.
  public mutating func leave(_ browser: String) {
    guard maximum != nil else { return }
    guard let count = counts[browser] else { preconditionFailure("a poll is held in a place of its own") }
    counts[browser] = count > 1 ? count - 1 : nil
  }
}
