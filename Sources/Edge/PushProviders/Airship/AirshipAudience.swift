/// Who is to get a push, as Airship's selectors name it. Spec: providers 5.
///
/// A device id is `ios_channel:ID`, `android_channel:ID`, `named_user:ID`, or a bare ID, which is a `channel`.
struct AirshipAudience: Sendable, Equatable {
  static let idLengthMaximum = 128

  let selector: String
  let id: String

  /// Nil if the device id is none of these.
  init?(deviceID: String) {
    let parts = deviceID.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2, ["ios_channel", "android_channel", "named_user", "channel"].contains(parts[0]) {
      (selector, id) = (String(parts[0]), String(parts[1]))
    } else if parts.count == 1 {
      (selector, id) = ("channel", deviceID)
    } else {
      return nil
    }
    guard !id.isEmpty, id.utf8.count <= Self.idLengthMaximum, id.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) else {
      return nil
    }
  }

  var reachesIOS: Bool { selector != "android_channel" }
  var reachesAndroid: Bool { selector != "ios_channel" }
}
