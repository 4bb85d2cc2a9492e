import BenchReport
import CarillonClient
import NIOCore

/// The event streams of agents, raw: all count what comes, the first also looks at it. Belongs to its event loop.
final class DeskStreams {
  private struct Key: Hashable {
    let chatID: String
    let number: Int
  }

  private static let line = BytePattern("event: line\n")
  private static let chatKey = BytePattern(#""chatId":""#)

  /// Events of all streams since `begin`.
  private(set) var heard = 0
  /// Of the first stream's lines.
  private(set) var latencies = LatencyHistogram()
  private var due: [Key: NIODeadline] = [:]
  private var connections: [HTTPConnection?] = []
  /// What the first stream has of an event that is not whole yet.
  private var rest = ByteBuffer()
  private var endsInBreak: [Bool] = []

  /// Opens so many streams; the future succeeds once the server has answered all.
  static func open(
    _ count: Int, of token: String, to address: ServerAddress, on loop: any EventLoop
  ) async throws -> NIOLoopBound<DeskStreams> {
    try await loop.flatSubmit {
      let streams = DeskStreams()
      streams.endsInBreak = Array(repeating: false, count: count)
      streams.connections = Array(repeating: nil, count: count)
      let bound = NIOLoopBound(streams, eventLoop: loop)
      let request = HTTPRequest(
        .get, "/agent/1/events", headers: [("Authorization", "Bearer \(token)"), ("Accept", "text/event-stream")]
      ).bytes(for: address)
      let opened = (0..<count).map { bound.value.open($0, request, to: address, on: loop, bound) }
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
        answered.fail(BenchError("a stream has ended"))
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
    due = [:]
  }

  func posted(_ chatID: String, _ number: Int, due time: NIODeadline) {
    due[Key(chatID: chatID, number: number)] = time
  }

  private func came(_ bytes: ByteBuffer, on index: Int) {
    // An event ends with an empty line, which may come in two pieces.
    var isBreak = endsInBreak[index]
    for byte in bytes.readableBytesView {
      if byte == UInt8(ascii: "\n") {
        if isBreak { heard += 1 }
        isBreak.toggle()
      } else {
        isBreak = false
      }
    }
    endsInBreak[index] = isBreak
    if index == 0 { look(at: bytes) }
  }

  /// Takes the whole events of the first stream.
  private func look(at bytes: ByteBuffer) {
    let now = NIODeadline.now()
    rest.writeImmutableBuffer(bytes)
    let used = rest.withUnsafeReadableBytes { bytes in
      var start = 0
      while let end = Self.end(of: bytes, from: start) {
        note(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), at: now)
        start = end
      }
      return start
    }
    rest.moveReaderIndex(forwardBy: used)
    rest.discardReadBytes()
  }

  private static func end(of bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    var index = start
    while index + 1 < bytes.count {
      if bytes[index] == 10, bytes[index + 1] == 10 { return index + 2 }
      index += 1
    }
    return nil
  }

  private func note(_ event: UnsafeRawBufferPointer, at now: NIODeadline) {
    guard Self.line.firstIndex(in: event) != nil, let key = Self.key(of: event) else { return }
    guard let time = due.removeValue(forKey: key) else { return }
    latencies.record((now - time).nanoseconds)
  }

  private static func key(of event: UnsafeRawBufferPointer) -> Key? {
    guard let found = chatKey.firstIndex(in: event) else { return nil }
    let begin = found + chatKey.count
    guard let end = event[begin...].firstIndex(of: UInt8(ascii: "\"")) else { return nil }
    guard let text = event[end...].firstIndex(of: UInt8(ascii: "#")) else { return nil }
    let digits = event[(text + 1)...].prefix(MessageText.prefixLength - 1)
    guard let number = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
    return Key(chatID: String(decoding: event[begin..<end], as: UTF8.self), number: number)
  }

  func close() {
    for connection in connections { connection?.close() }
    connections = []
  }
}
