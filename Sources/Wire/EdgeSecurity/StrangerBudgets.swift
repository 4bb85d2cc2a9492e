public import NetworkAddress
import Synchronization

/// The budgets of all strangers, by address, user and credential; of all servers of the process together. Any thread.
///
/// Memory is bounded: for each action at most `BudgetSettings.keysMaximum` addresses and as many users are known, of
/// each 24 bytes and the dictionary's slack.
public final class StrangerBudgets: Sendable {
  /// Whose budget is used up.
  public enum Holder: String, Sendable {
    case address, user, credential
  }

  /// Whoever names itself in a request. Neither names nor secrets are kept, only what a keyed hash makes of them.
  public struct Caller: Sendable, Equatable {
    public let holder: Holder
    fileprivate let key: UInt128

    public init(user: String) { self.init(.user, user) }
    public init(credential: String) { self.init(.credential, credential) }

    private init(_ holder: Holder, _ text: String) {
      self.holder = holder
      var hasher = Hasher()
      hasher.combine(holder)
      hasher.combine(text)
      let low = UInt64(bitPattern: Int64(hasher.finalize()))
      hasher = Hasher()
      hasher.combine(text)
      hasher.combine(holder)
      key = UInt128(UInt64(bitPattern: Int64(hasher.finalize()))) << 64 | UInt128(low)
    }
  }

  public struct Refusal: Error, Sendable, Equatable {
    public let action: BudgetedAction
    public let holder: Holder
    /// After which it is worth another try.
    public let retryAfterSeconds: Int

    /// For metrics and the log.
    public var name: String { "budget_\(action.rawValue)_\(holder.rawValue)" }
  }

  public let settings: BudgetSettings
  private let nanoseconds: @Sendable () -> Int64
  private let byAddress: [BudgetedAction: Budget]
  private let byCaller: [BudgetedAction: Budget]
  private let open = Mutex<[UInt128: Int]>([:])

  /// - Parameter nanoseconds: a clock that nobody sets back.
  public init(
    _ settings: BudgetSettings = BudgetSettings(),
    nanoseconds: @escaping @Sendable () -> Int64 = StrangerBudgets.monotonicNanoseconds
  ) {
    self.settings = settings
    self.nanoseconds = nanoseconds
    byAddress = settings.addressPerMinute.compactMapValues { Budget($0, settings.keysMaximum) }
    byCaller = settings.userPerMinute.compactMapValues { Budget($0, settings.keysMaximum) }
  }

  private static let start = ContinuousClock.now

  public static let monotonicNanoseconds: @Sendable () -> Int64 = {
    let (seconds, attoseconds) = start.duration(to: .now).components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  /// Takes it of the budget of the address, and of each caller's.
  ///
  /// - Parameters:
  ///   - count: how often it is done at once, or how much.
  ///   - address: nil if it is not known, such as over a socket in the file system: then it has no budget.
  /// - Returns: nil if it may be done.
  public func take(
    _ action: BudgetedAction, _ count: Int = 1, from address: IPAddress?, by callers: [Caller] = []
  ) -> Refusal? {
    if let address, settings.isExempt(address) { return nil }
    let now = nanoseconds()
    if let address, let wait = byAddress[action]?.take(Self.key(address), count, now) {
      return refusal(action, .address, wait)
    }
    guard let budget = byCaller[action] else { return nil }
    for caller in callers {
      if let wait = budget.take(caller.key, count, now) { return refusal(action, caller.holder, wait) }
    }
    return nil
  }

  /// Whether an address has shown so many wrong credentials that the next one need not be looked at. Takes nothing.
  public func hasGuessedTooOften(_ address: IPAddress?) -> Refusal? {
    guard let address, !settings.isExempt(address), let budget = byAddress[.wrongTokens],
      budget.isEmpty(Self.key(address), nanoseconds())
    else { return nil }
    return refusal(.wrongTokens, .address, budget.rule.interval)
  }

  /// By which what an address leaves behind is counted; nil for one without a budget.
  public func sharer(_ address: IPAddress?) -> UInt128? {
    address.flatMap { settings.isExempt($0) ? nil : Self.key($0) }
  }

  // MARK: Connections

  /// False if this address has as many connections as one may have; else `disconnected` has to follow.
  public func connected(from address: IPAddress?) -> Bool {
    guard let address, !settings.isExempt(address) else { return true }
    return open.withLock { open in
      let count = open[Self.key(address), default: 0]
      guard count < settings.connectionsByAddressMaximum else { return false }
      open[Self.key(address)] = count + 1
      return true
    }
  }

  public func disconnected(from address: IPAddress?) {
    guard let address, !settings.isExempt(address) else { return }
    open.withLock { open in
      let key = Self.key(address)
      guard let count = open[key] else { return }
      open[key] = count > 1 ? count - 1 : nil
    }
  }

  // MARK: Parts

  private func refusal(_ action: BudgetedAction, _ holder: Holder, _ wait: Int64) -> Refusal {
    Refusal(action: action, holder: holder, retryAfterSeconds: Int((wait + 999_999_999) / 1_000_000_000))
  }

  /// Whoever has an IPv6 address has all those with the same first 64 bits. Spec: RFC 6177.
  private static func key(_ address: IPAddress) -> UInt128 {
    address.ipv4 == nil ? (address.bits >> 64) << 64 : address.bits
  }
}

/// The buckets of one action, behind a lock.
private final class Budget: Sendable {
  let rule: BudgetRule
  private let buckets: Mutex<TokenBuckets<UInt128>>

  init?(_ perMinute: Int, _ keysMaximum: Int) {
    guard let rule = BudgetRule(perMinute: perMinute) else { return nil }
    self.rule = rule
    buckets = Mutex(TokenBuckets(rule: rule, keysMaximum: keysMaximum))
  }

  func take(_ key: UInt128, _ count: Int, _ now: Int64) -> Int64? {
    buckets.withLock { $0.take(key, count, now: now) }
  }

  func isEmpty(_ key: UInt128, _ now: Int64) -> Bool { buckets.withLock { $0.isEmpty(key, now: now) } }
}
