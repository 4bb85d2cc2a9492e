import HTTPKit
import HTTPTypes
import Hummingbird
import MessagingEngine

extension InstallationCredentials {
  /// Reads `AidLogin <android id>:<security token>`, both decimal; nil for everything else. Spec: GCM D3.1.
  init?(authorization: String?) {
    guard let parts = authorization?.split(separator: " ", omittingEmptySubsequences: true), parts.count == 2,
      parts[0].lowercased() == "aidlogin"
    else { return nil }
    let words = parts[1].split(separator: ":", omittingEmptySubsequences: false)
    guard words.count == 2, let id = Self.number(words[0]), let secret = Self.number(words[1]) else { return nil }
    self.init(id: InstallationID(id), securityToken: secret)
  }

  /// Neither id nor token is ever zero. Old devices show theirs with a sign.
  static func number(_ text: some StringProtocol) -> UInt64? {
    let number = UInt64(text) ?? Int64(text).map(UInt64.init(bitPattern:))
    return number == 0 ? nil : number
  }
}

extension Admission where Routes == MessagingRoutes, Caller == InstallationCredentials {
  /// A device that shows who it is. Nobody has looked yet whether it is right.
  static var device: Self {
    Self(.device) { _, request, _ in
      guard let credentials = InstallationCredentials(authorization: request.headers[.authorization]) else {
        throw InstallationFailure.unauthenticated
      }
      return credentials
    }
  }
}
