public import JSONEnvelope

/// Why a body or frame is no array of Bayeux messages; HTTP answers it with 400. Holds nothing of what the client sent.
public enum BayeuxDecodingError: Error, Sendable, Equatable, CustomStringConvertible {
  case malformed(JSONError)
  /// `[]`, which the protocol does not allow.
  case empty
  /// Something else than an object stands for a message.
  case notAMessage
  /// More than anybody would read the refusals of.
  case tooManyMessages
  /// A list or a text that we would have to repeat exceeds ``BayeuxLimits``.
  case fieldTooLong

  /// One line, fit for an error body.
  public var description: String {
    switch self {
    case .malformed(let error): "malformed JSON: \(error.description)"
    case .empty: "no message"
    case .notAMessage: "a message must be an object"
    case .tooManyMessages: "too many messages"
    case .fieldTooLong: "a field is too long"
    }
  }
}
