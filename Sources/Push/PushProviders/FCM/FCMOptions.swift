import OptionKit
internal import PushDomain

/// The options that make a lane: one credential of one project, by HTTP v1 or in the old form. Spec: providers 3.
struct FCMOptions: Sendable, Hashable {
  enum Form: Sendable, Hashable {
    /// Spec: providers 3.1, 3.2.
    case v1(account: Account, projectID: String?)
    /// `/fcm/send` of a private server. Spec: providers 3.5.
    case legacy(apiKey: String, url: String)
  }

  enum Account: Sendable, Hashable {
    case file(String)
    case text(String)

    /// The option that it came from.
    var option: String {
      switch self {
      case .file: GoogleOptions.keys.accountFile.name
      case .text: GoogleOptions.keys.account.name
      }
    }
  }

  static let baseURL = "https://fcm.googleapis.com"
  static let legacyURL = "https://fcm.googleapis.com/fcm/send"
  static let connectionsMaximum = 4

  let form: Form
  let place: HTTP2Place
  let perSecondMaximum: Int
  /// For metrics and logs: `fcm:<provider>` or `gcm:<provider>`.
  let label: String

  /// - Throws: what is missing, or has a form that cannot be right; no file is read.
  init(_ target: PushAddress, _ options: PushOptions) throws(PushObstacle) {
    let isFCM = target.pushType == .fcm
    form = try Self.form(options, isFCM: isFCM)
    place = HTTP2Place(
      baseURL: options[GoogleOptions.keys.baseURL] ?? Self.baseURL, serverName: options[GoogleOptions.keys.serverName],
      caFile: options[GoogleOptions.keys.trustRootsFile], connectionsMaximum: Self.connectionsMaximum)
    perSecondMaximum = options[GoogleOptions.keys.perSecond]
    label = "\(isFCM ? "fcm" : "gcm"):\(target.provider ?? "default")"
  }

  private static func form(_ options: PushOptions, isFCM: Bool) throws(PushObstacle) -> Form {
    let account =
      options[GoogleOptions.keys.accountFile].map(Account.file)
      ?? options[GoogleOptions.keys.account].map(Account.text)
    if let account { return .v1(account: account, projectID: options[GoogleOptions.keys.projectID]) }
    let keys = GoogleOptions.keys
    let (serverKey, urlKey) =
      isFCM ? (keys.serverKey, keys.legacyURL) : (keys.androidServerKey, keys.androidURL)
    guard let apiKey = options[serverKey] else {
      throw PushObstacle("not set: \(keys.accountFile.name) or \(serverKey.name)")
    }
    guard PushText.isPrintable(apiKey) else { throw PushObstacle("\(serverKey.name): not a key") }
    let url = options[urlKey] ?? legacyURL
    guard FCMHTTPClient.isUsable(url) else { throw PushObstacle("\(urlKey.name): not a URL") }
    return .legacy(apiKey: apiKey, url: url)
  }

  /// A hash: options hold keys.
  var laneID: String {
    var parts = [label, place.caFile ?? "", "\(perSecondMaximum)"]
    switch form {
    case .v1(let account, let projectID):
      parts += ["v1", place.baseURL, place.serverName ?? "", projectID ?? ""]
      switch account {
      case .file(let path): parts += ["file", path]
      case .text(let text): parts += ["text", text]
      }
    case .legacy(let apiKey, let url): parts += ["legacy", apiKey, url]
    }
    return PushText.digest(parts)
  }
}
