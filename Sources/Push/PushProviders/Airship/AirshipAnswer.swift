internal import EventSourcing
internal import JSONEnvelope
internal import PushDomain

/// What Airship's answers mean. Spec: providers 5.
enum AirshipAnswer {
  /// Characters of a path into our own body that are kept.
  static let pathLengthMaximum = 80
  static let identifierLengthMaximum = 64

  static func outcome(of answer: OutboundAnswer, now: Timestamp) -> PushOutcome {
    switch answer.status {
    case 200...299: return .delivered(id: pushID(answer.body))
    case 400: return .refused(reason: "400 \(complaint(answer.body))")
    // The audience is too short to be what is too large.
    case 413: return .refused(reason: answer.reason)
    case 408, 429, 500...599: return .retryable(reason: answer.reason, after: answer.pause(now: now))
    // Wrong credentials, wrong address, or a version of the interface that is not there any more.
    case 300...399, 401, 403, 404, 405, 406, 415: return .laneBroken(reason: answer.reason)
    default: return .retryable(reason: answer.reason)
    }
  }

  private static func pushID(_ body: [UInt8]) -> String? {
    guard let id = (try? JSONValue(parsing: body))?["push_ids"]?[0]?.string, id.count <= identifierLengthMaximum,
      id.utf8.allSatisfy({ isPlain($0) })
    else { return nil }
    return id
  }

  /// Their number for the error, and where in the body it is. Their words may repeat what we sent, and are left out.
  private static func complaint(_ body: [UInt8]) -> String {
    guard let answer = try? JSONValue(parsing: body) else { return "Bad Request" }
    var words: [String] = []
    if let code = answer["error_code"]?.integer { words.append("\(code)") }
    if let path = answer["details"]?["path"]?.string, !path.isEmpty, path.count <= pathLengthMaximum,
      path.utf8.allSatisfy({ isPlain($0) })
    {
      words.append(path)
    }
    return words.isEmpty ? "Bad Request" : words.joined(separator: " ")
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122: true
    default: "._-[]".utf8.contains(byte)
    }
  }
}
