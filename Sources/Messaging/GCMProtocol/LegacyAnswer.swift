import JSONEnvelope

/// A `DownstreamAnswer` in the words of legacy HTTP. Spec: GCM B3.2, B3.3, B4.
public enum LegacyAnswer {
  /// The body of a 200. Nil: nobody of a device group was reached, which is a 503 without a body. Spec: GCM B4.5.
  /// - Parameter multicastID: positive; names this answer.
  public static func json(_ answer: DownstreamAnswer, multicastID: Int64) -> [UInt8]? {
    if case .group(0, let failed) = answer, !failed.isEmpty { return nil }
    return JSONWriter.object(capacity: 256) { body in
      switch answer {
      case .targets(let results): write(results, multicastID: multicastID, into: &body)
      case .topic(.success(let id)): body.member("message_id", id)
      case .topic(.failure(let error)): body.member("error", error.rawValue)
      case .group(let success, let failed): GroupAnswer.write(success: success, failed: failed, into: &body)
      }
    }
  }

  private static func write(_ results: [TargetResult], multicastID: Int64, into body: inout JSONObjectWriter) {
    var (success, canonicals) = (0, 0)
    for case .accepted(_, let canonical) in results {
      success += 1
      if canonical != nil { canonicals += 1 }
    }
    body.member("multicast_id", multicastID)
    body.member("success", success)
    body.member("failure", results.count - success)
    body.member("canonical_ids", canonicals)
    body.objects("results", results) { result, object in
      switch result {
      case .accepted(let id, let canonical):
        object.member("message_id", id)
        object.member("registration_id", ifPresent: canonical)
      case .failed(let error): object.member("error", error.rawValue)
      }
    }
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
