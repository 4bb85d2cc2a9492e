import JSONEnvelope

/// What a client says of its clock, and what it is told of ours: the timesync extension. Spec: Bayeux reference, 16.
///
/// Indirect: hardly any message has one, and what a session holds of a connect grows by a pointer for it, not by five
/// numbers.
public indirect enum TimeSync: Sendable, Equatable {
  /// All in milliseconds: the client's clock when it sent this, the lag and the offset that it has found out so far, our
  /// clock when it arrived and our clock now.
  case asked(client: Int, lag: Int?, offset: Int?, arrived: Int, now: Int)

  /// Within this the client knows our clock well enough to be told nothing.
  public static let accuracyMilliseconds = 25
  /// No clock is farther from 1970, and sums of three do not overflow.
  static let clocks = -(1 << 53)...(1 << 53)

  init(client: Int, lag: Int?, offset: Int?) {
    self = .asked(client: client, lag: lag, offset: offset, arrived: 0, now: 0)
  }

  /// The same, which has just arrived.
  public func arrived(at time: Int) -> TimeSync {
    switch self {
    case .asked(let client, let lag, let offset, _, _):
      .asked(client: client, lag: lag, offset: offset, arrived: time, now: time)
    }
  }

  /// The same, about to be answered.
  public func answered(at time: Int) -> TimeSync {
    switch self {
    case .asked(let client, let lag, let offset, let arrived, _):
      .asked(client: client, lag: lag, offset: offset, arrived: arrived, now: time)
    }
  }

  /// JSON text; nil if the client's clock is right.
  var answer: [UInt8]? {
    let (client, lag, offset, arrived, now) =
      switch self {
      case .asked(let client, let lag, let offset, let arrived, let now): (client, lag, offset, arrived, now)
      }
    let error = lag.map { client + (offset ?? 0) + $0 - arrived }
    if let lag, let error, lag != 0, abs(error) < Self.accuracyMilliseconds { return nil }
    return JSONWriter.object(capacity: 80) { answer in
      answer.member("tc", client)
      answer.member("ts", arrived)
      answer.member("p", max(0, now - arrived))
      answer.member("a", ifPresent: error)
    }
  }
}
