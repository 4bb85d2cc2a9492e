import Gzip
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix

/// Bodies that come compressed.
extension HTTPConnectionHandler {
  /// Nil if the body is one that can be read here, or is the route's own business.
  func refusalOfCoding(_ coding: ContentCoding, _ target: String) -> EdgeFailure? {
    guard coding == .other, !site.readsCoding(of: target) else { return nil }
    var failure = EdgeFailure(
      .unsupportedMediaType, "The body is coded in a way that is not known here", exception: "ContentCodingException")
    failure.acceptedCodings = "gzip"
    return failure
  }

  /// Unpacks the body and goes on with the request: beside the event loop, since little may become much.
  func unpack(_ head: HTTPRequestHead, _ body: ByteBuffer) {
    let limit = site.surface(of: head.uri).bodyBytesMaximum
    workElsewhere()
    let unpacked = NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) {
      body.withUnsafeReadableBytes { bytes in
        Result { () throws(Gzip.Flaw) -> [UInt8] in try Gzip.unpack(bytes, limit: limit) }
      }
    }
    unpacked.whenComplete { result in
      guard self.isRouting else { return }
      self.tell(.resumes)
      // Nobody waits for it any more.
      guard self.context != nil else { return }
      switch result {
      case .success(.success(let bytes)):
        var head = head
        head.headers.remove(name: ContentCoding.fieldName)
        head.headers.replaceOrAdd(name: "content-length", value: String(bytes.count))
        self.site.serve(RequestInProgress(head: head, body: ByteBuffer(bytes: bytes)), on: self)
      case .success(.failure(.tooLarge)): self.respond(.bodyTooLarge(limit: limit))
      case .success(.failure(.malformed)): self.respond(.malformed("The body is not gzip"))
      case .failure: self.respond(.unavailable("The server stops"))
      }
    }
  }
}
