import JSONEnvelope

/// Why a primary does not do what a standby asks: the member `reason` of its answer.
public enum StandbyRefusal: String, Error, Sendable, CaseIterable {
  /// 409: the history up to the place asked for is another one.
  case parted
  /// 409: the place asked for is beyond what this primary has.
  case ahead
  /// 409: who asks knows of a higher epoch, so that this is no primary any more.
  case relieved
  /// 409: an acknowledgement by whom no stream is open, or of what was not sent over it.
  case notFollowing = "not_following"
  /// 409: the server has several journals, and standbys copy one.
  case severalPartitions = "several_partitions"
  /// 410: the segment asked for is not kept as it was: the manifest has it in another form, or a later one.
  case notKept = "not_kept"
  /// 404: there is no such file.
  case noFile = "no_file"
  /// 412: the file is not of this version any more.
  case versionDiffers = "version_differs"
  /// 503: as many standbys follow as may.
  case tooMany = "too_many"
  /// 503: this primary has not recovered yet, or is stopping.
  case notReady = "not_ready"
}

extension StandbyRefusal {
  /// The status of the answer.
  public var status: Int {
    switch self {
    case .parted, .ahead, .relieved, .notFollowing, .severalPartitions: 409
    case .notKept: 410
    case .noFile: 404
    case .versionDiffers: 412
    case .tooMany, .notReady: 503
    }
  }

  /// The reason in the body of an answer; nil if it has none that this program knows.
  public init?(parsing bytes: [UInt8]) {
    guard let body = try? JSONObject(document: bytes, atMost: StandbyLimits.acknowledgementByteCountMaximum),
      let reason = body["reason"]?.string
    else { return nil }
    self.init(rawValue: reason)
  }
}
