import OptionKit
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
      case .file: APNsOptions.keys.keyFile.name
      case .text: APNsOptions.keys.key.name
      }
    }
  }

  static let productionURL = "https://api.push.apple.com"
  static let sandboxURL = "https://api.sandbox.push.apple.com"
  private static let keys = AppleOptions.keys

  let authentication: Authentication
  let topic: String
  let place: HTTP2Place
  /// For metrics and logs: `apns:<provider>:<environment>`.
  let label: String

  /// - Throws: what is missing, or has a form that cannot be right; no file is read.
  init(_ target: PushAddress, _ options: PushOptions) throws(PushObstacle) {
    let keys = Self.keys
    authentication = try Self.authentication(options)
    guard let topic = options[keys.topic] else { throw PushObstacle("not set: \(keys.topic.name)") }
    guard PushText.isPrintable(topic) else { throw PushObstacle("\(keys.topic.name): not a bundle id") }
    self.topic = topic
    var place = HTTP2Place(
      baseURL: options[keys.baseURL] ?? (target.debug ? Self.sandboxURL : Self.productionURL),
      serverName: options[keys.serverName], caFile: options[keys.trustRootsFile],
      connectionsMaximum: options[keys.connections])
    switch authentication {
    case .token: place.startsWithOneStream = true
    case .certificate(let certificate): place.certificate = certificate
    }
    self.place = place
    label = "apns:\(target.provider ?? "default"):\(target.debug ? "debug" : "production")"
    try Self.checkLook(options)
  }

  /// Of what nearly always tells them apart: each push looks its lane up by all of them.
  func hash(into hasher: inout Hasher) {
    hasher.combine(label)
    hasher.combine(topic)
  }

  private static func authentication(_ options: PushOptions) throws(PushObstacle) -> Authentication {
    let key = options[keys.keyFile].map(Key.file) ?? options[keys.key].map(Key.text)
    if let key {
      if let missing = options.missing([keys.keyID, keys.teamID]) { throw PushObstacle(missing) }
      return .token(key: key, keyID: options[keys.keyID] ?? "", teamID: options[keys.teamID] ?? "")
    }
    if let path = options[keys.keyStore] {
      return .certificate(.pkcs12(path: path, password: options[keys.keyStorePassword] ?? ""))
    }
    if let chain = options[keys.certificateFile] {
      guard let key = options[keys.certificateKeyFile] else {
        throw PushObstacle("not set: \(keys.certificateKeyFile.name)")
      }
      return .certificate(.pem(chainPath: chain, keyPath: key))
    }
    throw PushObstacle(
      "not set: \(keys.keyFile.name), \(keys.keyStore.name) or \(keys.certificateFile.name)")
  }

  /// What the operator says about the look of all pushes has to be right before the first one.
  private static func checkLook(_ options: PushOptions) throws(PushObstacle) {
    if let type = options[keys.pushType], APNsPushType(rawValue: type) == nil {
      throw PushObstacle("\(keys.pushType.name): unknown value")
    }
    if options.isMalformed(keys.interruptionLevel) {
      throw PushObstacle("\(keys.interruptionLevel.name): unknown value")
    }
    if options.isMalformed(keys.messageFormat) { throw PushObstacle("\(keys.messageFormat.name): unknown value") }
  }
}
