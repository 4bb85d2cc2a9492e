import JSONEnvelope

/// Which members the objects of a request of FCM HTTP v1 have: the real service refuses all others, because a misspelt
/// field would be a message without it. Spec: GCM E3.
indirect enum V1Shape: Sendable {
  /// A value, a list of values, or a map with names of the sender's own.
  case value
  /// By both spellings of each name.
  case message([ExactText: (name: String, shape: V1Shape)])

  private static func message(_ values: [String], _ parts: [String: V1Shape] = [:]) -> V1Shape {
    var members: [ExactText: (name: String, shape: V1Shape)] = [:]
    for (name, shape) in values.map({ ($0, V1Shape.value) }) + parts.map({ ($0.key, $0.value) }) {
      members[ExactText(name)] = (name, shape)
      members[ExactText(V1Fields.camelCase(name))] = (name, shape)
    }
    return .message(members)
  }

  static let request = message(["validate_only"], ["message": whole])

  private static let whole = message(
    ["name", "token", "topic", "condition", "fid", "data"],
    [
      "notification": message(["title", "body", "image"]), "android": android, "apns": apns, "webpush": webPush,
      "fcm_options": options,
    ])

  private static let options = message(["analytics_label"])

  private static let android = message(
    [
      "collapse_key", "priority", "ttl", "restricted_package_name", "data", "direct_boot_ok",
      "bandwidth_constrained_ok", "restricted_satellite_ok",
    ],
    [
      "fcm_options": options,
      "notification": message(
        V1AndroidNotification.names,
        [
          "light_settings": message(
            ["light_on_duration", "light_off_duration"], ["color": message(["red", "green", "blue", "alpha"])])
        ]),
    ])

  private static let apns = message(
    ["headers", "payload", "live_activity_token"], ["fcm_options": message(["analytics_label", "image"])])

  private static let webPush = message(
    ["headers", "data", "notification"], ["fcm_options": message(["analytics_label", "link"])])

  /// What an answer tells of at most.
  private static let violationsMaximum = 16

  /// - Throws: naming every member that is not known, in the words of the real service.
  static func check(_ request: JSONObject) throws(DownstreamRefusal) {
    var unknown: [FieldViolation] = []
    Self.request.collect(request, path: "", into: &unknown)
    guard !unknown.isEmpty else { return }
    throw DownstreamRefusal(code: .invalidParameters, violations: unknown)
  }

  private func collect(_ object: JSONObject, path: String, into unknown: inout [FieldViolation]) {
    guard case .message(let members) = self else { return }
    for member in object.members where unknown.count < Self.violationsMaximum {
      guard let (name, shape) = members[ExactText(member.name)] else {
        let place = path.isEmpty ? "" : " at '\(path)'"
        unknown.append(
          FieldViolation(
            field: path.isEmpty ? nil : path,
            description: "Invalid JSON payload received. "
              + "Unknown name \"\(DownstreamRefusal.excerpt(of: member.name))\"\(place): Cannot find field."))
        continue
      }
      // A member of another kind is told of where it is read.
      if let inner = member.value.object {
        shape.collect(inner, path: path.isEmpty ? name : "\(path).\(name)", into: &unknown)
      }
    }
  }
}
