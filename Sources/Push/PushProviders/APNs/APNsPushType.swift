internal import PushDomain

/// `apns-push-type`, and what follows from it. Spec: providers 2.5.
enum APNsPushType: String, Sendable, CaseIterable {
  case alert, background, voip, location, complication, fileprovider, liveactivity, pushtotalk, widgets, controls, mdm

  /// What stands behind the bundle id in `apns-topic`.
  var topicSuffix: String {
    switch self {
    case .alert, .background, .mdm: ""
    case .voip: ".voip"
    case .location: ".location-query"
    case .complication: ".complication"
    case .fileprovider: ".pushkit.fileprovider"
    case .liveactivity: ".push-type.liveactivity"
    case .pushtotalk: ".voip-ptt"
    case .widgets: ".push-type.widgets"
    case .controls: ".push-type.controls"
    }
  }

  /// `apns-priority`: 10 now, 5 mind the battery.
  func priority(_ wanted: PushPriority) -> Int {
    switch self {
    case .background, .fileprovider, .widgets, .controls: 5
    case .voip, .pushtotalk, .mdm: 10
    case .alert, .location, .complication, .liveactivity: wanted == .high ? 10 : 5
    }
  }

  /// Bytes of the payload that Apple takes.
  var payloadBytesMaximum: Int { self == .voip ? 5_120 : 4_096 }
}
