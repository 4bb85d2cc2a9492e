public import NetworkAddress

/// An app server that has shown its key. Spec: GCM B1.3.
public struct SenderIdentity: Sendable, Equatable {
  /// The sender id.
  public let sender: String
  /// The project of HTTP v1.
  public let projectID: String
  /// Its requests may be met by scripted faults.
  public let isTest: Bool
  /// Of the token; names it for revocation.
  package let tokenID: String
  private let takesAnyProject: Bool
  private let allowedAddresses: [String]

  /// - Parameter token: of the role `sender`; nil for any other.
  package init?(_ token: AccessToken) {
    guard token.role == .sender, let grant = token.sender else { return nil }
    sender = grant.sender
    projectID = grant.projectID ?? grant.sender
    isTest = grant.isTest
    tokenID = token.id
    takesAnyProject = grant.projectID == nil
    allowedAddresses = grant.allowedAddresses
  }

  /// Whether it may send for this project: by its id, or by its number, which is the sender id.
  public func owns(project: String) -> Bool { takesAnyProject || project == projectID || project == sender }

  /// Whether a request with its key may come from here. Spec: GCM B1.4.
  /// - Parameter address: nil if it is not known.
  public func isPermitted(from address: IPAddress?) -> Bool {
    allowedAddresses.isEmpty
      || address.map { address in allowedAddresses.contains { IPAddress($0) == address } } ?? false
  }
}
