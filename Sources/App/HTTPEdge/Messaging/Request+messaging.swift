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

  /// The whole body, if it is not longer than that.
  func bytes(upTo maximum: Int) async throws -> [UInt8] {
    // The connection has bounded it already.
    let buffer = try await body.collect(upTo: .max)
    guard buffer.readableBytes <= maximum else { throw EdgeFailure.bodyTooLarge(limit: maximum) }
    return Array(buffer.readableBytesView)
  }

  func queryParameters() throws(ParameterFailure) -> RequestParameters {
    var parameters = RequestParameters()
    if let query = uri.query { try parameters.addForm(query.utf8) }
    return parameters
  }
}
