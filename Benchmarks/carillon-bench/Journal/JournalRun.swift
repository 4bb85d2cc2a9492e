import ChatDomain
import EntityRuntime
import EventSourcing
import Journal
import JournalFormat
import SystemPackage

/// One journal in a directory of its own, for one measurement.
struct JournalRun: Sendable {
  let directory: WorkDirectory
  let writer: JournalWriter

  static let folder = "data/journal"

  /// Opens the journal, as the server does, ready for events.
  init(in directory: WorkDirectory) throws {
    self.directory = directory
    (writer, _) = try JournalWriter.open(
      directory: Self.path(directory), onFatal: { Terminal.note("the journal failed: \($0)") }, replay: { _ in })
  }

  static func path(_ directory: WorkDirectory) -> FilePath { FilePath(directory.path).appending(folder) }

  /// Makes `count` events of chats and appends them, without waiting for each.
  /// - Parameter unattended: so many of the chats wait for an agent.
  static func fill(_ directory: WorkDirectory, events count: Int, chats: Int, unattended: Int = 0) throws {
    let run = try JournalRun(in: directory)
    var source = ChatEvents(chats: chats, unattended: unattended)
    var written = 0
    let opening = try source.opening()
    var last: UInt64 = 0
    for start in stride(from: 0, to: opening.count, by: 1_024) {
      last = try run.writer.append(Array(opening[start..<min(start + 1_024, opening.count)]))
      if start % 65_536 == 0 { try run.writer.waitUntilDurable(last) }
    }
    written = Int(last)
    while written < count {
      // Small groups, as turns come to a busy server; the disk is waited for now and then.
      var group: [PendingRecord] = []
      for _ in 0..<min(64, count - written) { group += try source.message() }
      last = try run.writer.append(group)
      written += group.count
      if written % 65_536 < 64 { try run.writer.waitUntilDurable(last) }
    }
    try run.writer.close()
  }

  /// Reads the journal and applies every event to the state of its chat, with as many threads as a server's start has.
  static func replay(_ directory: WorkDirectory) throws -> (events: Int, seconds: Double) {
    let start = ContinuousClock.now
    let boxes = ReplayShare.ofThisMachine().map { ReplayBox<ChatSession>(ReplayTable(kind: .chatSession, share: $0)) }
    let (writer, report) = try JournalWriter.open(
      directory: path(directory), onFatal: { Terminal.note("the journal failed: \($0)") },
      replays: boxes.map { box in
        { view in
          try box.apply(
            ReplayRecord(
              position: view.position, kind: EntityKind(rawValue: view.kind), key: view.key, sequence: view.sequence,
              time: Timestamp(milliseconds: view.timeMilliseconds), tag: view.tag, payload: view.payload))
        }
      })
    let recovered = try ReplayTable.finish(boxes.map { $0.take() }).entities
    let seconds = (ContinuousClock.now - start).inSeconds
    guard !recovered.isEmpty else { throw BenchError("nothing was replayed") }
    try writer.close()
    return (Int(report.records), seconds)
  }

  /// Bytes that the segments really hold, without the zeros that were written ahead.
  static func usedBytes(_ directory: WorkDirectory) throws -> Int {
    var used = 0
    for file in directory.files(in: folder) where file.bytes > 0 {
      let bytes = Files.bytes(file.path, maximum: file.bytes) ?? []
      used += (bytes.lastIndex { $0 != 0 } ?? -1) + 1
    }
    return used
  }
}

extension Duration {
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
