import Journal
import JournalFormat
import StandbyWire

/// What one standby is sent, piece by piece. Whoever has it asks for the next piece once the one before is on its way:
/// a standby that is slow is behind, and nothing waits for it here.
package actor StandbyStream {
  private let service: StandbyService
  private let name: StandbyName
  private let ticket: UInt64
  private let outlet: StreamOutlet
  private let tail: SegmentTail
  private let thread: ReadingThread
  private var hello: StandbyMessage?
  /// When the last mark was made, in monotonic milliseconds.
  private var marked: Int64?
  /// The place of the last mark.
  private var markedPlace: StandbyPlace?

  static let markMilliseconds: Int64 = 1_000

  init(
    _ service: StandbyService, _ name: StandbyName, ticket: UInt64, outlet: StreamOutlet, tail: SegmentTail,
    thread: ReadingThread, hello: StandbyMessage
  ) {
    self.service = service
    self.name = name
    self.ticket = ticket
    self.outlet = outlet
    self.tail = tail
    self.thread = thread
    self.hello = hello
  }

  deinit { service.left(name, ticket) }

  /// The next bytes of the body; nil at its end: the journal is closed, and the standby has all of it, or the same standby
  /// has come again. Waits until there is something to send.
  ///
  /// - Throws: what makes it impossible to go on: the stream is cut off then, so that it is not taken for whole.
  package func next() async throws -> [UInt8]? {
    var output: [UInt8] = []
    if let hello {
      self.hello = nil
      hello.append(to: &output)
      return output
    }
    while true {
      try Task.checkCancellation()
      let count = service.news.count
      let hasEnded = service.hasEnded
      // In this order: what is announced comes before the records that name it are on the disk.
      guard let extent = service.source.extent, let messages = outlet.take() else { return nil }
      for message in messages { message.append(to: &output) }
      try await read(extent, into: &output)
      guard output.isEmpty else {
        service.sent(output.count)
        return output
      }
      // All of it is marked. Who says what is on its disk says so of this, too: it may still fetch what was named.
      if hasEnded, tail.place == extent.place, !service.owes(name, ticket, extent.position) { return nil }
      await service.news.wait(after: count)
    }
  }

  private func read(_ extent: StandbyExtent, into output: inout [UInt8]) async throws {
    let limit = StandbyLimits.pieceByteCountMaximum
    if tail.place < extent.place {
      let piece = await thread.run { [tail] in Result { try tail.read(before: extent, atMost: limit) } }
      if let piece = try piece.get() {
        if !piece.bytes.isEmpty { StandbyMessage.bytes(piece.place, piece.bytes).append(to: &output) }
        if let file = piece.sealed {
          StandbyMessage.sealed(
            segment: piece.place.segment, fileByteCount: file.byteCount, version: file.version
          ).append(to: &output)
        }
        outlet.sent(tail.place, extent.position)
      }
    }
    let now = service.now
    let hasReached = tail.place == extent.place && markedPlace != extent.place
    guard hasReached || marked.map({ now - $0 >= Self.markMilliseconds }) ?? true else { return }
    (marked, markedPlace) = (now, extent.place)
    outlet.sent(tail.place, extent.position)
    StandbyMessage.mark(
      StandbyMessage.Mark(
        place: extent.place, position: extent.position, timeMilliseconds: service.wallMilliseconds,
        epoch: extent.epoch)
    ).append(to: &output)
  }
}
