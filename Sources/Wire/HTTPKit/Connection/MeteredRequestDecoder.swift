package import NIOCore
package import NIOHTTP1

/// NIO's parser, and how much it has read: what it passes over in silence, such as extensions of chunks, counts too.
///
/// Belongs to its channel's event loop.
package final class MeteredRequestDecoder: ByteToMessageDecoder {
  package typealias InboundOut = HTTPServerRequestPart

  private let decoder: HTTPRequestDecoder
  /// Bytes that the parser has taken since the connection began. Those of the read in progress are not among them yet.
  package private(set) var bytesRead = 0

  package init(_ limits: NIOHTTPDecoderLimitConfiguration) {
    decoder = HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits)
  }

  package func decoderAdded(context: ChannelHandlerContext) { decoder.decoderAdded(context: context) }
  package func decoderRemoved(context: ChannelHandlerContext) { decoder.decoderRemoved(context: context) }

  package func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
    let before = buffer.readableBytes
    defer { bytesRead += before - buffer.readableBytes }
    return try decoder.decode(context: context, buffer: &buffer)
  }

  package func decodeLast(
    context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
  ) throws -> DecodingState {
    try decoder.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF)
  }
}
