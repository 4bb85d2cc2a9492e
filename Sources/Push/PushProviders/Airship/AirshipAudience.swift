/// Who is to get a push, as Airship's selectors name it. Spec: providers 5, support requests 9.
///
/// A device id is `ios_channel:ID`, `android_channel:ID`, `named_user:ID`, or a bare ID, which is a `channel`; or
/// several of them, each with its prefix, separated by commas: one push to all.
struct AirshipAudience: Sendable, Equatable {
  static let idLengthMaximum = 128
  /// Selectors of one push; Airship's own bound is 1,000.
  static let selectorsMaximum = 500

  struct Selector: Sendable, Equatable {
    let kind: String
    let id: String

    /// Nil if the text is no selector.
    init?(_ text: some StringProtocol) {
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      if Self.hasPrefix(text) {
        (kind, id) = (String(parts[0]), String(parts[1]))
      } else if parts.count == 1 {
        (kind, id) = ("channel", String(text))
      } else {
        return nil
      }
      // A comma within a channel can only be a list that is broken.
      guard !id.isEmpty, id.utf8.count <= AirshipAudience.idLengthMaximum,
        id.unicodeScalars.allSatisfy({ $0.value >= 0x20 }), kind == "named_user" || !id.contains(",")
      else { return nil }
    }

    static func hasPrefix(_ text: some StringProtocol) -> Bool {
      ["ios_channel:", "android_channel:", "named_user:", "channel:"].contains { text.hasPrefix($0) }
    }
  }

  /// At least one.
  let selectors: [Selector]

  /// Nil if the device id is none of these.
  init?(deviceID: String) {
    let parts = deviceID.split(separator: ",", omittingEmptySubsequences: false)
    // A named user may have a comma in his name.
    let texts = parts.allSatisfy({ Selector.hasPrefix($0) }) ? parts : [deviceID[...]]
    guard texts.count <= Self.selectorsMaximum else { return nil }
    selectors = texts.compactMap { Selector($0) }
    guard selectors.count == texts.count else { return nil }
  }

  var reachesIOS: Bool { selectors.contains { $0.kind != "android_channel" } }
  var reachesAndroid: Bool { selectors.contains { $0.kind != "ios_channel" } }
}
