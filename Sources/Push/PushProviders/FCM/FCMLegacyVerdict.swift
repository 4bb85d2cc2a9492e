internal import EventSourcing
internal import JSONEnvelope
internal import PushDomain

/// What an answer in the old form means: the table, as a function. Spec: providers 3.5.
enum FCMLegacyVerdict {
  /// - Parameter pause: what `retry-after` asks for.
  static func outcome(_ status: Int, _ body: [UInt8], pause: Duration?) -> PushOutcome {
    switch status {
    case 200: result(try? JSONValue(parsing: body), pause)
    case 401, 403, 404, 300..<400: .laneBroken(reason: "\(status)")
    case 408, 429, 500...: .retryable(reason: "\(status)", after: pause)
    case 400..<500: .refused(reason: "\(status)")
    default: .retryable(reason: "\(status)", after: pause)
    }
  }

  private static func result(_ answer: JSONValue?, _ pause: Duration?) -> PushOutcome {
    guard let answer, answer.object != nil else { return .retryable(reason: "200 unreadable", mayBeDelivered: true) }
    // To a topic the answer is the result itself.
    let result = answer["results"]?[0] ?? answer
    guard let error = result["error"]?.string else {
      return .delivered(
        id: result["message_id"]?.lenientString,
        replacement: result["registration_id"]?.string.flatMap { $0.isEmpty ? nil : $0 })
    }
    let text = PushText.reason(200, error)
    switch error {
    case "NotRegistered", "InvalidRegistration", "InvalidPackageName": return .unregistered(reason: text)
    // Comes also if the key is that of another project.
    case "MismatchSenderId": return .unregistered(reason: text, isSuspect: true)
    case "Unavailable", "InternalServerError", "DeviceMessageRateExceeded", "TopicsMessageRateExceeded":
      return .retryable(reason: text, after: pause)
    default: return .refused(reason: text)
    }
  }
}
