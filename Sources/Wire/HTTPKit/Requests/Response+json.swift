package import HTTPTypes
package import Hummingbird
package import JSONEnvelope

extension Response {
  /// A JSON answer as the customer and agent surfaces give it. Spec: GMS 2.2.
  package static func json(_ body: [UInt8], status: HTTPResponse.Status = .ok, adding fields: HTTPFields = [:])
    -> Response
  {
    var headers: HTTPFields = [
      .contentType: "application/json;charset=UTF-8", .cacheControl: "no-cache, no-store", .pragma: "no-cache",
    ]
    headers.append(contentsOf: fields)
    return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }

  /// - Parameter write: writes one value.
  package static func json(
    status: HTTPResponse.Status = .ok, adding fields: HTTPFields = [:], _ write: (inout JSONWriter) -> Void
  ) -> Response {
    var writer = JSONWriter(capacity: 1_024)
    write(&writer)
    return json(writer.bytes, status: status, adding: fields)
  }

  /// An answer that is one object.
  package static func object(
    status: HTTPResponse.Status = .ok, adding fields: HTTPFields = [:], _ members: (inout JSONObjectWriter) -> Void
  ) -> Response {
    json(status: status, adding: fields) { $0.object(members) }
  }
}

extension HTTPField.Name {
  package static let pragma = HTTPField.Name("Pragma")!
}
