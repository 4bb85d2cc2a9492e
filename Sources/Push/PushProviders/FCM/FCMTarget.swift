internal import PushDomain

/// Whom a message goes to: the device id, plain or with a prefix. Spec: providers 3.2.
enum FCMTarget: Sendable, Equatable {
  case token(String)
  /// Firebase installation id.
  case installation(String)
  case topic(String)
  case condition(String)

  /// Nil if there is nothing behind the prefix.
  init?(_ deviceID: String) {
    let kinds: [(prefix: String, make: (String) -> FCMTarget)] = [
      ("fid:", FCMTarget.installation), ("topic:", FCMTarget.topic), ("condition:", FCMTarget.condition),
    ]
    let kind = kinds.first { deviceID.hasPrefix($0.prefix) }
    var value = String(deviceID.dropFirst(kind?.prefix.count ?? 0))
    if kind?.prefix == "topic:", value.hasPrefix("/topics/") { value.removeFirst("/topics/".count) }
    guard !value.isEmpty else { return nil }
    self = kind?.make(value) ?? .token(value)
  }

  /// Bytes of payload that FCM takes.
  var payloadBytesMaximum: Int {
    switch self {
    case .token, .installation: 4_096
    case .topic, .condition: 2_048
    }
  }
}
