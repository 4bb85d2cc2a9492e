package import Journal
package import JournalFormat
package import StandbyWire

/// The server that is followed: over HTTP, or in tests in memory.
package protocol Primary: Sendable {
  /// A page of the manifest.
  ///
  /// - Parameter after: the `next` of the page before; nil: the first one.
  func manifest(after: StandbyPath?, _ caller: PrimaryCaller) async throws(PrimaryFailure) -> StandbyManifest
  /// The bytes of a file, in pieces, handed to `take` one after the other.
  func file(
    _ file: StandbyFile, _ caller: PrimaryCaller, _ take: @Sendable ([UInt8]) async throws(PrimaryFailure) -> Void
  ) async throws(PrimaryFailure)
  /// The stream from a place on, until it ends.
  ///
  /// - Parameter chain: of the last frame before the place; nil if it is not known.
  func stream(
    from place: StandbyPlace, chain: Hash256?, _ caller: PrimaryCaller
  ) async throws(PrimaryFailure) -> any PrimaryStream
  func acknowledge(_ word: StandbyAcknowledgement, _ caller: PrimaryCaller) async throws(PrimaryFailure)
}

/// Who asks, as each request says it.
package struct PrimaryCaller: Sendable, Equatable {
  package let name: StandbyName
  /// The highest epoch that it has heard of.
  package let epoch: UInt32

  package init(name: StandbyName, epoch: UInt32) {
    self.name = name
    self.epoch = epoch
  }
}

/// The bytes of a stream, as they come; used by one task.
package protocol PrimaryStream: AnyObject, Sendable {
  /// - Returns: nil at the end.
  func next() async throws(PrimaryFailure) -> [UInt8]?
}

/// Why the primary did not do what it was asked.
package enum PrimaryFailure: Error, Sendable, Equatable {
  case refused(StandbyRefusal)
  /// Another answer than one of this wire.
  case status(Int)
  /// Not reached, or broken off; why, in a few words.
  case unreachable(String)
  case wire(StandbyWireError)
  /// Not the primary's: whoever took its bytes could not.
  case taker(JournalError)
}

extension PrimaryFailure {
  /// For the plan.
  var input: FollowerPlan.Input {
    switch self {
    case .refused(let refusal): .refused(refusal)
    case .status(let status): .status(status)
    case .unreachable: .unreachable
    case .wire(let error): .wire(error)
    case .taker(let error): .failed(error)
    }
  }

  var words: String {
    switch self {
    case .refused(let refusal): "the primary refuses: \(refusal.rawValue)"
    case .status(let status): "the primary answers \(status)"
    case .unreachable(let words): words
    case .wire(let error): "the primary sends \(error)"
    case .taker(let error): "\(error)"
    }
  }
}
