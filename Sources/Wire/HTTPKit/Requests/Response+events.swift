import HTTPTypes
package import Hummingbird

extension Response {
  /// Server-sent events, until `write` returns; silence is filled by the connection. Spec: HTML, server-sent events.
  /// - Parameter write: hands each event to what it is given.
  package static func events(
    _ write: @escaping @Sendable (_ send: ([UInt8]) async throws -> Void) async throws -> Void
  ) -> Response {
    Response(
      status: .ok,
      headers: [.contentType: "text/event-stream", .cacheControl: "no-cache, no-store", .xAccelBuffering: "no"],
      body: ResponseBody { writer in
        var writer = writer
        try await write { try await writer.write(ByteBuffer(bytes: $0)) }
        try await writer.finish(nil)
      })
  }
}
