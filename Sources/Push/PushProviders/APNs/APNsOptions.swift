internal import PushDomain

/// The options that make a lane: one credential, one environment, one topic. Two targets with equal ones share it.
///
/// The topic belongs to it because a connection is tied to the topics first used on it, and because a wrong topic must
/// not stop the others. Spec: providers 2.1, 2.7.
struct APNsOptions: Sendable, Hashable {
  enum Authentication: Sendable, Hashable {
    /// Spec: providers 2.2.
    case token(key: Key, keyID: String, teamID: String)
    /// Spec: providers 2.3.
    case certificate(HTTP2Place.Certificate)
  }

  enum Key: Sendable, Hashable {
    case file(String)
    case text(String)

    /// The option that it came from.
    var option: String {
      switch self {
      case .file: "apple.key_file"
      case .text: "apple.key"
      }
    }
  }

  static let productionURL = "https://api.push.apple.com"
  static let sandboxURL = "https://api.sandbox.push.apple.com"
  static let connectionsDefault = 4
  static let connectionsMaximum = 64

  let authentication: Authentication
  let topic: String
  let place: HTTP2Place
  /// For metrics and logs: `apns:<provider>:<environment>`.
  let label: String

  /// - Throws: what is missing, or has a form that cannot be right; no file is read.
  init(_ target: PushAddress, _ options: PushOptions) throws(PushObstacle) {
    authentication = try Self.authentication(options)
    guard let topic = options.text("apple.topic") else { throw PushObstacle("not set: apple.topic") }
    guard PushText.isPrintable(topic) else { throw PushObstacle("apple.topic: not a bundle id") }
    self.topic = topic
    var place = HTTP2Place(
      baseURL: options.text("apple.base_url") ?? (target.debug ? Self.sandboxURL : Self.productionURL),
      serverName: options.text("apple.server_name"), caFile: options.text("apple.ca_file"),
      connectionsMaximum: min(
        max(options.integer("apple.connections") ?? Self.connectionsDefault, 1), Self.connectionsMaximum))
    switch authentication {
    case .token: place.startsWithOneStream = true
    case .certificate(let certificate): place.certificate = certificate
    }
    self.place = place
    label = "apns:\(target.provider ?? "default"):\(target.debug ? "debug" : "production")"
    try Self.checkLook(options)
  }

  private static func authentication(_ options: PushOptions) throws(PushObstacle) -> Authentication {
    let key = options.text("apple.key_file").map(Key.file) ?? options.text("apple.key").map(Key.text)
    if let key {
      if let missing = options.missing(["apple.key_id", "apple.team_id"]) { throw PushObstacle(missing) }
      return .token(key: key, keyID: options.text("apple.key_id") ?? "", teamID: options.text("apple.team_id") ?? "")
    }
    if let path = options.text("apple.keystore") {
      return .certificate(.pkcs12(path: path, password: options["apple.keystorePassword"] ?? ""))
    }
    if let chain = options.text("apple.certificate_file") {
      guard let key = options.text("apple.certificate_key_file") else {
        throw PushObstacle("not set: apple.certificate_key_file")
      }
      return .certificate(.pem(chainPath: chain, keyPath: key))
    }
    throw PushObstacle("not set: apple.key_file, apple.keystore or apple.certificate_file")
  }

  /// What the operator says about the look of all pushes has to be right before the first one.
  private static func checkLook(_ options: PushOptions) throws(PushObstacle) {
    if let type = options.text("apple.push_type"), APNsPushType(rawValue: type) == nil {
      throw PushObstacle("apple.push_type: unknown value")
    }
    if let level = options.text("apple.interruption_level"), !APNsLook.interruptionLevels.contains(level) {
      throw PushObstacle("apple.interruption_level: unknown value")
    }
    if let format = options.text("apple.message_format"), !["object", "string"].contains(format) {
      throw PushObstacle("apple.message_format: unknown value")
    }
  }
}
