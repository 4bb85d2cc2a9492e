internal import Crypto
import OptionKit
internal import PushDomain
import TextEncoding

/// Whose pushes Airship takes, and where. Spec: providers 5.
struct AirshipCredential: Sendable {
  static let defaultURL = "https://go.urbanairship.com"

  let appKey: String
  let masterSecret: String
  let pushURL: WebhookURL
  let validateURL: WebhookURL

  /// - Throws: an option is missing or malformed.
  init(_ options: PushOptions) throws(OptionProblem) {
    if let missing = options.missing([AirshipOptions.keys.appKey, AirshipOptions.keys.masterSecret]) {
      throw OptionProblem(missing)
    }
    appKey = options[AirshipOptions.keys.appKey] ?? ""
    masterSecret = options[AirshipOptions.keys.masterSecret] ?? ""
    // A colon would move the border between name and password. Spec: RFC 7617, 2.
    guard !appKey.contains(":") else { throw OptionProblem(malformed: AirshipOptions.keys.appKey.name) }
    var base = options[AirshipOptions.keys.baseURL] ?? Self.defaultURL
    while base.hasSuffix("/") { base.removeLast() }
    guard !base.contains("?"), !base.contains("#"), let push = WebhookURL(base + "/api/push"),
      let validate = WebhookURL(base + "/api/push/validate")
    else { throw OptionProblem(malformed: AirshipOptions.keys.baseURL.name) }
    pushURL = push
    validateURL = validate
  }

  var authorization: String { "Basic \(Base64.encode("\(appKey):\(masterSecret)".utf8))" }

  /// Names credential and place without giving them away; changes with each of them.
  var name: String {
    let text = "\(pushURL.text)\n\(appKey)\n\(masterSecret)"
    return Base64.encodeForURL(Array(SHA256.hash(data: Array(text.utf8))))
  }
}
