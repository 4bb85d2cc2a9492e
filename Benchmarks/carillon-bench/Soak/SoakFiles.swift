import ChatDomain
import Conservation
import EventSourcing
import Journal
import JournalFormat
import PushDomain
import SystemPackage

/// What the files of a server say once it has stopped.
struct SoakFiles: Sendable {
  let directory: WorkDirectory
  private var journal: FilePath { JournalRun.path(directory) }

  /// Files are read in pieces.
  private static let pieceBytes = 1_048_576

  // MARK: Pushes

  /// Every push that a chat has asked for, and what became of it.
  func pushes() throws -> PushLedger<PushID> {
    var ledger = PushLedger<PushID>()
    try JournalReader(directory: journal).forEachRecord { record in
      guard !record.isRedacted else { return }
      switch EntityKind(rawValue: record.kind) {
      case .chatSession: try Self.chat(record, &ledger)
      case .pushQueue: try Self.queue(record, &ledger)
      default: break
      }
    }
    return ledger
  }

  private static func chat(_ record: borrowing RecordView, _ ledger: inout PushLedger<PushID>) throws {
    // Of all that happens to a chat it is one event in many.
    guard record.tag == requestedTag else { return }
    var payload = PayloadReader(record.payload)
    if case .pushRequested(let number, _, _, _, _) = try ChatEvent(tag: record.tag, payload: &payload) {
      ledger.owed(PushID(producer: record.keyText, number: number))
    }
  }

  private static let requestedTag =
    ChatEvent.pushRequested(number: 1, phase: 1, ordinal: 1, message: "", positions: []).tag

  private static func queue(_ record: borrowing RecordView, _ ledger: inout PushLedger<PushID>) throws {
    var payload = PayloadReader(record.payload)
    switch try PushEvent(tag: record.tag, payload: &payload) {
    case .enqueued(let message): ledger.taken(message.id)
    case .declined(let id, let outcome, _):
      ledger.taken(id)
      ledger.ended(id, "declined: " + outcome.name)
    case .settled(let id, let outcome, _, _, _, _): ledger.ended(id, outcome.name)
    case .erased(let pushes, _): for push in pushes { ledger.ended(push.id, FinalPushOutcome.erased.name) }
    default: break
    }
  }

  // MARK: Marks

  /// Whose marks are in any record, in any state of a snapshot, or in the bytes of any file, the log's too.
  func marks() throws -> Set<UInt64> {
    var search = MarkSearch()
    try JournalReader(directory: journal).forEachRecord { record in
      search.look(at: record.key)
      search.look(at: record.payload)
    }
    let store = SnapshotStore(directory: journal)
    for file in try store.all() {
      try store.open(file).forEachState { entry, state in
        (entry.key.utf8 + entry.brief + state).withUnsafeBytes { search.look(at: $0) }
      }
    }
    for file in directory.files(in: "data").map(\.path) + [directory.path + "/log"] { try Self.look(at: file, &search) }
    return search.found
  }

  private static func look(at path: String, _ search: inout MarkSearch) throws {
    let file = try FileDescriptor.open(FilePath(path), .readOnly)
    try file.closeAfter {
      var piece = [UInt8](repeating: 0, count: pieceBytes)
      var kept = 0
      while true {
        let count = try piece.withUnsafeMutableBytes { bytes in
          try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[kept...]))
        }
        guard count > 0 else { return }
        piece.withUnsafeBytes { search.look(at: UnsafeRawBufferPointer(rebasing: $0[..<(kept + count)])) }
        // A mark may lie across two pieces.
        let rest = min(MarkSearch.length - 1, kept + count)
        piece.replaceSubrange(0..<rest, with: Array(piece[(kept + count - rest)..<(kept + count)]))
        kept = rest
      }
    }
  }
}

/// Finds the marks of people in bytes.
struct MarkSearch {
  static let length = SoakPerson.prefix.utf8.count + SoakPerson.digits
  private static let pattern = BytePattern(SoakPerson.prefix)
  private(set) var found: Set<UInt64> = []

  mutating func look(at bytes: UnsafeRawBufferPointer) {
    var offset = 0
    while let start = Self.pattern.firstIndex(in: bytes, from: offset) {
      offset = start + Self.pattern.count
      guard offset + SoakPerson.digits <= bytes.count else { return }
      let digits = String(decoding: bytes[offset..<(offset + SoakPerson.digits)], as: UTF8.self)
      if let number = UInt64(digits, radix: 16) { found.insert(number) }
    }
  }
}
