package import EntityRuntime

/// Why a capability refuses what it was asked for, in its own words.
public protocol Refusal: Error, Equatable, Sendable {}

extension Refusal {
  fileprivate func equals(_ other: any Refusal) -> Bool { other as? Self == self }
}

/// Why the engine refuses a request. `HTTPKit` alone turns it into a status.
public enum EngineError: Error, Sendable {
  /// No service of this name is configured: 404.
  case unknownServiceName(String)
  /// A capability refuses; the refusal says why.
  case refused(any Refusal)
  /// No such device, or not one of the asker's: 404.
  case unknownDevice
  /// No such dead letter (any more): 404.
  case unknownDeadLetter
  /// A field of a registration or push is not usable: 400.
  case invalid(field: String, reason: String)
  /// A field that has to be there is not: 400.
  case missing(field: String)
  /// A named limit is reached: 503 with Retry-After.
  case limitReached(String)
  /// The server is stopping or still recovering: 503 with Retry-After.
  case unavailable
  /// The disk has no room for another event: 507.
  case storageFull
}

extension EngineError: Equatable {
  public static func == (one: EngineError, other: EngineError) -> Bool {
    switch (one, other) {
    case (.refused(let one), .refused(let other)): one.equals(other)
    case (.invalid(let one, let why), .invalid(let other, let reason)): one == other && why == reason
    case (.unknownServiceName(let one), .unknownServiceName(let other)), (.missing(let one), .missing(let other)),
      (.limitReached(let one), .limitReached(let other)):
      one == other
    case (.unknownDevice, .unknownDevice), (.unknownDeadLetter, .unknownDeadLetter), (.unavailable, .unavailable),
      (.storageFull, .storageFull):
      true
    default: false
    }
  }
}

extension EngineError {
  /// Why a turn of an entity failed.
  package init<Rejection: Refusal>(_ error: TurnError<Rejection>) {
    self =
      switch error {
      case .rejected(let rejection): .refused(rejection)
      case .overloaded: .limitReached("journal")
      case .storageFull: .storageFull
      case .tooLarge: .limitReached("journal record")
      case .failed: .unavailable
      }
  }
}
