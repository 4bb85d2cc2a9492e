package import HTTPKit
import HTTPTypes
import JSONEnvelope
import JournalFormat
package import StandbyEngine
package import StandbyWire

extension StandbyRefusal: EdgeRefusal {
  package var failure: EdgeFailure {
    let (message, exception) = text
    var failure = EdgeFailure(HTTPResponse.Status(integerLiteral: status), message, exception: exception)
    var details = JSONObject()
    details["code"] = .integer(Int64(status))
    details["reason"] = .string(rawValue)
    failure.details = details
    if status == 503 { failure.retryAfter = EdgeLimits.retryAfterSeconds }
    return failure
  }

  private var text: (message: String, exception: String) {
    switch self {
    case .parted: ("The journal has another history up to this place", "StandbyPartedException")
    case .ahead: ("The journal does not come as far as this place", "StandbyAheadException")
    case .relieved: ("Another server has taken over in a later epoch", "StandbyRelievedException")
    case .notFollowing:
      ("No stream is open under this name, or it has not come as far", "StandbyNotFollowingException")
    case .severalPartitions:
      ("The server has several partitions, which no standby copies yet", "SeveralPartitionsException")
    case .notKept: ("The segment is not kept as it was: the manifest says how it is", "StandbyNotKeptException")
    case .noFile: ("There is no such file", "NotFoundException")
    case .versionDiffers: ("The file is not of this version any more", "StandbyVersionException")
    case .tooMany: ("As many standbys follow as may", "ServiceUnavailableException")
    case .notReady: ("The server is not ready", "ServiceUnavailableException")
    }
  }
}

extension IncredibleEpoch: EdgeRefusal {
  package var failure: EdgeFailure {
    .malformed(
      "The epoch \(epoch) in the header field \(StandbyRoute.epochField) is not believed: it is more than "
        + "\(JournalEpoch.leapMaximum) above \(own), the server's own")
  }
}

extension EdgeFailure {
  static let rangeNotSatisfiable = EdgeFailure(
    .rangeNotSatisfiable, "The file ends before this range begins", exception: "RangeException")
}
