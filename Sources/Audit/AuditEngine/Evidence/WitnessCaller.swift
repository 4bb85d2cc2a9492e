package import Transparency

/// Posts to witnesses; what carries it is the rim's.
package protocol WitnessCaller: Sendable {
  /// Posts `body` and takes the answer, at most `EvidenceLimits.witnessAnswerByteCountMaximum` and one byte more of it.
  ///
  /// - Parameters:
  ///   - trustRootsFile: the roots that the witness is trusted by; nil: the system's.
  ///   - timeout: from the question to the end of its answer.
  func post(
    _ body: [UInt8], to url: String, trustRootsFile: String?, timeout: Duration
  ) async -> CosigningRound.Outcome
}

/// A server that reaches no witness.
package struct NoWitnesses: WitnessCaller {
  package init() {}

  package func post(
    _ body: [UInt8], to url: String, trustRootsFile: String?, timeout: Duration
  ) async -> CosigningRound.Outcome { .unreachable }
}
