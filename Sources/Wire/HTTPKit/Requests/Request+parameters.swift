package import HTTPTypes
import Hummingbird

extension Request {
  /// The whole body; the connection has bounded it already.
  package func bytes(limits: EdgeLimits) async throws -> [UInt8] {
    let buffer = try await body.collect(upTo: limits.bodyBytesMaximum)
    return Array(buffer.readableBytesView)
  }

  /// The parameters of query string and body together. Spec: GMS 2.3.
  package func parameters(limits: EdgeLimits) async throws -> RequestParameters {
    try RequestParameters(
      query: uri.query, contentType: headers[.contentType], body: try await bytes(limits: limits), limits: limits)
  }

  /// The whole body, if it is not longer than that.
  package func bytes(upTo maximum: Int) async throws -> [UInt8] {
    // The connection has bounded it already.
    let buffer = try await body.collect(upTo: .max)
    guard buffer.readableBytes <= maximum else { throw EdgeFailure.bodyTooLarge(limit: maximum) }
    return Array(buffer.readableBytesView)
  }

  package func queryParameters() throws(ParameterFailure) -> RequestParameters {
    var parameters = RequestParameters()
    if let query = uri.query { try parameters.addForm(query.utf8) }
    return parameters
  }

  /// Whose the request is. The connection has put the user whom `UserIdentity` found in the place of the header that
  /// the client sent, so this is the only thing that a route may go by.
  package func userKey(limits: EdgeLimits) throws(EdgeFailure) -> String? {
    try UserKey.read(headers[values: .gmsUser], limits: limits).get()
  }
}

extension HTTPField.Name {
  package static let gmsUser = HTTPField.Name(UserKey.headerName)!
}
