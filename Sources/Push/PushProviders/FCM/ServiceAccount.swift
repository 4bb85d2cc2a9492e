internal import JSONEnvelope
internal import JWTKit

/// What is needed of Google's service-account file. Spec: providers 3.1.
struct ServiceAccount: Sendable {
  let clientEmail: String
  let keyID: String?
  let key: Insecure.RSA.PrivateKey
  let tokenURL: String
  let projectID: String

  /// - Parameters:
  ///   - projectID: goes over the file's own.
  ///   - option: the option that names the file, for the obstacle.
  init(_ content: [UInt8], projectID: String?, option: String) throws(PushObstacle) {
    guard let file = try? JSONValue(parsing: content).object else { throw PushObstacle("\(option): not JSON") }
    func text(_ name: String) throws(PushObstacle) -> String {
      guard let text = file[name]?.string, !text.isEmpty else { throw PushObstacle("\(option): no \(name)") }
      return text
    }
    clientEmail = try text("client_email")
    keyID = file["private_key_id"]?.string
    tokenURL = try text("token_uri")
    guard FCMHTTPClient.isUsable(tokenURL) else { throw PushObstacle("\(option): token_uri is not a URL") }
    let project: String
    if let projectID { project = projectID } else { project = try text("project_id") }
    guard Self.isProject(project) else { throw PushObstacle("\(option): project_id has a wrong form") }
    self.projectID = project
    guard let key = try? Insecure.RSA.PrivateKey(pem: try text("private_key")) else {
      throw PushObstacle("\(option): private_key is not an RSA key in PEM")
    }
    self.key = key
  }

  /// It becomes part of the path.
  private static func isProject(_ text: String) -> Bool {
    text.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        || [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "_")].contains(byte)
    }
  }
}
