import HTTPKit
import HTTPTypes
import Hummingbird

extension Request {
  /// The app server whose key this request shows, if it may come from where it comes from. Spec: GCM B1.1, B1.4.
  func sender(in tokens: TokenStore, _ context: EdgeRequestContext) -> SenderIdentity? {
    guard let identity = tokens.sender(authorization: headers[.authorization]),
      identity.isPermitted(from: context.clientAddress)
    else { return nil }
    return identity
  }
}
