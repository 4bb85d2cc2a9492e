package import NIOCore
package import NIOHTTP1

/// A request that has been read whole.
package struct RequestInProgress {
  package let head: HTTPRequestHead
  /// Nil if there is none.
  package let body: ByteBuffer?

  package init(head: HTTPRequestHead, body: ByteBuffer?) {
    self.head = head
    self.body = body
  }
}
