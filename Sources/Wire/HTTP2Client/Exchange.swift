internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// One request on its way to its outcome.
///
/// `@unchecked Sendable`: `send` makes it and hands it to the origin's event loop; from then on only that loop touches
/// anything that changes.
final class Exchange: @unchecked Sendable {
  let request: HTTP2Request
  var deadline = NIODeadline.distantFuture
  /// Counts the streams of the origin as they are opened.
  var order: UInt64 = 0
  var stream = HTTP2StreamID.rootStream
  /// HEADERS went to the socket's side of NIOHTTP2: the server may have them.
  var isWritten = false
  var isCancelled = false
  /// Answered, but NIOHTTP2 has not closed its stream yet.
  var isAwaitingEnd = false
  /// Where it is; nil while it waits and when it is settled.
  weak var connection: OriginConnection?

  var status = 0
  var headers = HPACKHeaders()
  var body: [UInt8] = []

  private var continuation: UnsafeContinuation<HTTP2Outcome, Never>?
  private(set) var isSettled = false

  init(_ request: HTTP2Request) { self.request = request }

  func arrive(_ continuation: UnsafeContinuation<HTTP2Outcome, Never>) { self.continuation = continuation }

  /// The first outcome counts; a stream may end again after it was answered.
  func settle(_ outcome: HTTP2Outcome) { settleLater()?.resume(returning: outcome) }

  /// As `settle`, where the outcome is told together with others. - Returns: whom to tell; nil if it was settled before.
  func settleLater() -> UnsafeContinuation<HTTP2Outcome, Never>? {
    guard !isSettled else { return nil }
    isSettled = true
    return continuation.take()
  }
}
