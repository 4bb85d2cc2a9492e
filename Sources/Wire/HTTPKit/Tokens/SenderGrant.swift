package import JSONEnvelope

/// What a token of the role `sender` says beside its name: whose messages it may send. Spec: GCM B1.3, B1.4.
public struct SenderGrant: Sendable, Equatable {
  /// The sender id, which devices register for.
  public var sender: String
  /// Its operator may script faults for it, and nobody else's messages are at stake.
  public var isTest: Bool
  /// Addresses that it may come from; empty for any.
  public var allowedAddresses: [String]
  /// The project of HTTP v1; nil: it is called as the sender is, and any name is taken.
  public var projectID: String?
  /// Signs grants for access tokens. Spec: GCM E2.
  public internal(set) var account: ServiceAccount?

  public init(
    sender: String, isTest: Bool = false, allowedAddresses: [String] = [], projectID: String? = nil,
    account: ServiceAccount? = nil
  ) {
    self.sender = sender
    self.isTest = isTest
    self.allowedAddresses = allowedAddresses
    self.projectID = projectID
    self.account = account
  }

  /// Ids are decimal in the real service; here whatever can stand in an address and in a comma-separated list.
  package var isValid: Bool {
    Self.isIdentifier(sender) && (projectID.map(Self.isIdentifier) ?? true)
      && allowedAddresses.count <= EdgeLimits.allowedAddressesMaximum
  }

  private static func isIdentifier(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
          UInt8(ascii: ":"):
          true
        default: false
        }
      }
  }
}

/// The public half of a service-account key file. Spec: GCM E2.
public struct ServiceAccount: Sendable, Equatable {
  /// `client_email`, which grants name as their issuer.
  public let email: String
  /// `token_uri`, which grants name as their audience.
  public let tokenURI: String
  /// PEM.
  public let publicKey: String

  public init(email: String, tokenURI: String, publicKey: String) {
    self.email = email
    self.tokenURI = tokenURI
    self.publicKey = publicKey
  }
}

extension SenderGrant {
  /// Nil if a member is missing or malformed.
  package init?(_ value: JSONValue) {
    guard let sender = value["sender"]?.string else { return nil }
    self.init(
      sender: sender, isTest: value["testMode"]?.bool ?? false,
      allowedAddresses: value["allowedAddresses"]?.array?.compactMap(\.string) ?? [],
      projectID: value["projectId"]?.string)
    if let account = value["serviceAccount"] {
      guard let email = account["email"]?.string, let tokenURI = account["tokenUri"]?.string,
        let publicKey = account["publicKey"]?.string
      else { return nil }
      self.account = ServiceAccount(email: email, tokenURI: tokenURI, publicKey: publicKey)
    }
  }

  /// Into the object of the token.
  package func write(into token: inout JSONObjectWriter) {
    token.member("sender", sender)
    if isTest { token.member("testMode", true) }
    if !allowedAddresses.isEmpty { token.member("allowedAddresses", allowedAddresses) }
    token.member("projectId", ifPresent: projectID)
    guard let account else { return }
    token.object("serviceAccount") { object in
      object.member("email", account.email)
      object.member("tokenUri", account.tokenURI)
      object.member("publicKey", account.publicKey)
    }
  }
}
