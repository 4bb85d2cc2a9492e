import JSONEnvelope

/// The answer to one downstream message over XMPP. Spec: GCM C5, C6.
public enum CCSAnswer: Sendable, Equatable {
  /// - Parameter canonical: the token that has taken the place of the one that was named.
  case ack(CCSAddress, canonical: String?)
  /// A device group: how many members got it, and who did not.
  case groupAck(CCSAddress, success: Int, failed: [String])
  case nack(CCSAddress, CCSErrorCode, String)

  public init(_ address: CCSAddress, _ answer: DownstreamAnswer) {
    switch answer {
    case .targets(let results):
      switch results.first {
      case .accepted(_, let canonical): self = .ack(address, canonical: canonical)
      case .failed(let error): self.init(address, error)
      case nil: self.init(address, .internalServerError)
      }
    case .topic(.success): self = .ack(address, canonical: nil)
    case .topic(.failure(let error)): self.init(address, error)
    case .group(0, let failed) where !failed.isEmpty: self.init(address, .unavailable)
    case .group(let success, let failed): self = .groupAck(address, success: success, failed: failed)
    }
  }

  public init(_ address: CCSAddress, _ error: DownstreamError) {
    let code = CCSErrorCode(error)
    self = .nack(address, code, code.explanation)
  }

  init(_ address: CCSAddress, refusal: DownstreamRefusal) {
    self = .nack(address, refusal.code.map { CCSErrorCode($0) } ?? .invalidJSON, refusal.text)
  }

  /// The server stops: another connection takes the message. Spec: GCM C13.
  public static func draining(_ address: CCSAddress) -> CCSAnswer {
    .nack(address, .connectionDraining, CCSErrorCode.connectionDraining.explanation)
  }

  /// JSON text.
  public var bytes: [UInt8] {
    JSONWriter.object(capacity: 256) { answer in
      switch self {
      case .ack(let address, let canonical):
        Self.write(address, "ack", into: &answer)
        answer.member("registration_id", ifPresent: canonical)
      case .groupAck(let address, let success, let failed):
        Self.write(address, "ack", into: &answer)
        GroupAnswer.write(success: success, failed: failed, into: &answer)
      case .nack(let address, let code, let description):
        Self.write(address, "nack", into: &answer)
        answer.member("error", code.rawValue)
        // One client library cannot do without it.
        answer.member("error_description", description)
      }
    }
  }

  private static func write(_ address: CCSAddress, _ type: StaticString, into answer: inout JSONObjectWriter) {
    answer.member("from", address.to)
    answer.member("message_id", address.messageID)
    answer.member("message_type", type)
  }
}
