import NIOCore
import NIOHTTP1

/// A request that has been read whole.
struct RequestInProgress {
  let head: HTTPRequestHead
  /// Nil if there is none.
  let body: ByteBuffer?
}
