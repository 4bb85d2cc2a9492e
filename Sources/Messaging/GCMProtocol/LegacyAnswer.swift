import JSONEnvelope

/// A `DownstreamAnswer` in the words of legacy HTTP. Spec: GCM B3.2, B3.3, B4.
public enum LegacyAnswer {
  /// The body of a 200. Nil: nobody of a device group was reached, which is a 503 without a body. Spec: GCM B4.5.
  /// - Parameter multicastID: positive; names this answer.
  public static func json(_ answer: DownstreamAnswer, multicastID: Int64) -> [UInt8]? {
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    switch answer {
    case .targets(let results): write(results, multicastID: multicastID, into: &writer)
    case .topic(.success(let id)):
      writer.key("message_id")
      writer.integer(id)
    case .topic(.failure(let error)): writer.member("error", error.rawValue)
    case .group(0, let failed) where !failed.isEmpty: return nil
    case .group(let success, let failed): GroupAnswer.writeMembers(success: success, failed: failed, into: &writer)
    }
    writer.endObject()
    return writer.bytes
  }

  private static func write(_ results: [TargetResult], multicastID: Int64, into writer: inout JSONWriter) {
    var (success, canonicals) = (0, 0)
    for case .accepted(_, let canonical) in results {
      success += 1
      if canonical != nil { canonicals += 1 }
    }
    writer.key("multicast_id")
    writer.integer(multicastID)
    writer.key("success")
    writer.integer(success)
    writer.key("failure")
    writer.integer(results.count - success)
    writer.key("canonical_ids")
    writer.integer(canonicals)
    writer.key("results")
    writer.beginArray()
    for result in results {
      writer.beginObject()
      switch result {
      case .accepted(let id, let canonical):
        writer.member("message_id", id)
        if let canonical { writer.member("registration_id", canonical) }
      case .failed(let error): writer.member("error", error.rawValue)
      }
      writer.endObject()
    }
    writer.endArray()
  }

  /// The body of a 200 in plain text. Nil: busy, which is a 503 here.
  public static func text(_ answer: DownstreamAnswer) -> String? {
    switch answer {
    case .targets(let results):
      switch results.first {
      case .accepted(let id, let canonical): "id=\(id)\n" + (canonical.map { "registration_id=\($0)\n" } ?? "")
      case .failed(.unavailable), nil: nil
      case .failed(let error): "Error=\(error.rawValue)\n"
      }
    case .topic(.success(let id)): "id=\(id)\n"
    case .topic(.failure(.unavailable)), .group(0, _): nil
    case .topic(.failure(let error)): "Error=\(error.rawValue)\n"
    case .group(let success, let failed): "success=\(success)\nfailure=\(failed.count)\n"
    }
  }
}
