public import JSONEnvelope

/// What a reply tells the client to do next. Spec: Bayeux 1.0, "advice".
public struct BayeuxAdvice: Sendable, Equatable {
  public enum Reconnect: String, Sendable, CaseIterable {
    case retry, handshake, none
  }

  public var reconnect: Reconnect
  /// Milliseconds to wait before the next connect. Keep it 0: a client in the field takes it for seconds.
  public var interval: Int?
  /// Milliseconds that a connect will be held at most.
  public var timeout: Int?
  /// Other sessions of the same browser have its held polls. Spec: Bayeux 1.0, "Multiple clients operation".
  public var hasMultipleClients = false

  public init(reconnect: Reconnect, interval: Int? = nil, timeout: Int? = nil) {
    self.reconnect = reconnect
    self.interval = interval
    self.timeout = timeout
  }

  /// Connect again at once, with this time-out.
  public static func retry(timeoutMilliseconds: Int) -> BayeuxAdvice {
    BayeuxAdvice(reconnect: .retry, interval: 0, timeout: timeoutMilliseconds)
  }

  /// Connect again after a pause: other sessions of the same browser are held.
  public static func multipleClients(intervalMilliseconds: Int, timeoutMilliseconds: Int) -> BayeuxAdvice {
    var advice = BayeuxAdvice(reconnect: .retry, interval: intervalMilliseconds, timeout: timeoutMilliseconds)
    advice.hasMultipleClients = true
    return advice
  }

  /// Give up: other sessions of the same browser are held, and there are to be no more.
  public static let noMultipleClients: BayeuxAdvice = {
    var advice = BayeuxAdvice.giveUp
    advice.hasMultipleClients = true
    return advice
  }()

  /// The session is not known (any more): shake hands.
  public static let handshake = BayeuxAdvice(reconnect: .handshake, interval: 0)
  /// Give up.
  public static let giveUp = BayeuxAdvice(reconnect: .none)
}

extension BayeuxAdvice: JSONWritable {
  public func write(into writer: inout JSONWriter) {
    writer.object { advice in
      advice.member("reconnect", reconnect.rawValue)
      advice.member("interval", ifPresent: interval)
      advice.member("timeout", ifPresent: timeout)
      if hasMultipleClients { advice.member("multiple-clients", true) }
    }
  }
}
