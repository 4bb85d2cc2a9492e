import HTTPKit
import HTTPTypes
import JSONEnvelope

/// What an agent's socket says, beside events.
enum AgentSocketMessage {
  /// - Parameter answer: one JSON object.
  static func answer(_ id: String, _ answer: [UInt8]) -> [UInt8] {
    JSONWriter.object(capacity: answer.count + id.utf8.count + 24) { message in
      message.member("id", id)
      message.member("ok", RawJSON(answer))
    }
  }

  /// - Parameter id: nil for what is said to no request that could be read.
  static func refusal(_ id: String?, _ failure: EdgeFailure) -> [UInt8] {
    JSONWriter.object(capacity: 224) { message in
      message.member("id", id)
      message.member("status", failure.status.code)
      message.member("error", RawJSON(failure.body))
      message.member("retryAfter", ifPresent: failure.retryAfter)
    }
  }
}
