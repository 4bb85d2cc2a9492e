import BenchReport
import CarillonClient
import Conservation
import NIOCore
import PeerFormats

/// The event streams of agents, raw. Each is looked at: every line is timed at every stream. Belongs to its event loop.
final class DeskStreams {
  private static let event = BytePattern("event: ")
  private static let line = BytePattern("event: line\n")
  private static let chatKey = BytePattern(#""chatId":""#)
  private static let textKey = BytePattern(#""text":""#)

  /// Events of all streams since `begin`.
  private(set) var heard = 0
  /// Of lines, from when they were due.
  private(set) var latencies = LatencyHistogram()
  private(set) var ledger: HearingLedger
  private var connections: [HTTPConnection?]
  /// What each stream has of an event that is not whole yet.
  private var rests: [ByteBuffer]
  private(set) var failure: BenchError?

  private init(count: Int) {
    ledger = HearingLedger(listeners: count)
    connections = Array(repeating: nil, count: count)
    rests = Array(repeating: ByteBuffer(), count: count)
  }

  /// Opens a stream for each token; the future succeeds once the server has answered all.
  static func open(
    _ tokens: [String], to address: ServerAddress, on loop: any EventLoop
  ) async throws -> NIOLoopBound<DeskStreams> {
    try await loop.flatSubmit {
      let bound = NIOLoopBound(DeskStreams(count: tokens.count), eventLoop: loop)
      let opened = tokens.enumerated().map { index, token in
        let request = HTTPRequest(
          .get, "/agent/1/events", headers: [("Authorization", "Bearer \(token)"), ("Accept", "text/event-stream")]
        ).bytes(for: address)
        return bound.value.open(index, request, to: address, on: loop, bound)
      }
      return EventLoopFuture.andAllSucceed(opened, on: loop).map { bound }
    }.get()
  }

  private func open(
    _ index: Int, _ request: ByteBuffer, to address: ServerAddress, on loop: any EventLoop,
    _ bound: NIOLoopBound<DeskStreams>
  ) -> EventLoopFuture<Void> {
    let answered = loop.makePromise(of: Void.self)
    HTTPConnection.open(to: address, on: loop, streaming: true) { connection in
      bound.value.connections[index] = connection
      connection.onResponse = { _, response in
        if response.status == 200 { return answered.succeed() }
        answered.fail(BenchError("a stream was answered with \(response.status)"))
      }
      connection.onBodyPart = { bound.value.came($1, on: index) }
      connection.onClose = { _, _ in
        let error = BenchError("stream \(index) has ended")
        bound.value.failure = bound.value.failure ?? error
        answered.fail(error)
      }
    }
    .map { bound.value.connections[index]?.send(request) }
    .cascadeFailure(to: answered)
    return answered.futureResult
  }

  /// From now on it counts.
  func begin() {
    heard = 0
    latencies.removeAll()
    ledger = HearingLedger(listeners: connections.count)
  }

  func posted(_ chatID: String, _ number: Int, due time: NIODeadline) {
    ledger.posted(.init(chatID: chatID, number: number), due: Int64(time.uptimeNanoseconds))
  }

  /// Takes the whole events of a stream.
  private func came(_ bytes: ByteBuffer, on index: Int) {
    let now = Int64(NIODeadline.now().uptimeNanoseconds)
    rests[index].writeImmutableBuffer(bytes)
    let used = rests[index].withUnsafeReadableBytes { bytes in
      var start = 0
      while let end = Self.end(of: bytes, from: start) {
        note(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), on: index, at: now)
        start = end
      }
      return start
    }
    rests[index].moveReaderIndex(forwardBy: used)
    rests[index].discardReadBytes()
  }

  /// Behind the empty line that ends what begins at `start`.
  private static func end(of bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    var index = start
    while index + 1 < bytes.count {
      if bytes[index] == 10, bytes[index + 1] == 10 { return index + 2 }
      index += 1
    }
    return nil
  }

  private func note(_ event: UnsafeRawBufferPointer, on index: Int, at now: Int64) {
    // Comments fill silence.
    guard Self.event.firstIndex(in: event) == 0 else { return }
    heard += 1
    guard Self.line.firstIndex(in: event) == 0, let message = Self.message(in: event),
      let latency = ledger.heard(message, by: index, at: now)
    else { return }
    latencies.record(latency)
  }

  /// Nil if it is none of the load's.
  private static func message(in event: UnsafeRawBufferPointer) -> HearingLedger.Message? {
    guard let found = chatKey.firstIndex(in: event), let text = textKey.firstIndex(in: event, from: found),
      let number = NumberedText.number(in: event, at: text + textKey.count)
    else { return nil }
    let id = event[(found + chatKey.count)...].prefix { $0 != UInt8(ascii: "\"") }
    return .init(chatID: String(decoding: id, as: UTF8.self), number: number)
  }

  func close() {
    for connection in connections {
      connection?.onClose = nil
      connection?.close()
    }
    connections = []
  }
}
