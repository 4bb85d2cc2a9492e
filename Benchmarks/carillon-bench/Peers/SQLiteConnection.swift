import Glibc

/// One connection to a database of events: write-ahead log, every commit synced. Belongs to one thread.
final class SQLiteConnection {
  private static let isDone: Int32 = 101
  /// Read and write, made if it is not there, used by one thread only.
  private static let flags: Int32 = 0x2 | 0x4 | 0x8000

  private let library: SQLiteLibrary
  private let database: OpaquePointer
  private let insertion: OpaquePointer
  private let payload: [UInt8] = Array(JournalPayload.text.utf8)

  init(_ path: String, _ library: SQLiteLibrary) throws {
    self.library = library
    var database: OpaquePointer?
    guard library.open(path, &database, Self.flags, nil) == 0, let database else {
      throw BenchError("SQLite cannot open \(path)")
    }
    self.database = database
    // A writer that meets another one waits for its turn.
    _ = library.setBusyTimeout(database, 60_000)
    for statement in [
      "PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL",
      "CREATE TABLE IF NOT EXISTS event (id INTEGER PRIMARY KEY, chat INTEGER NOT NULL, payload BLOB NOT NULL)",
    ] {
      let status = library.execute(database, statement, nil, nil, nil)
      guard status == 0 else { throw BenchError("SQLite says \(status) to \(statement)") }
    }
    var insertion: OpaquePointer?
    let status = library.prepare(
      database, "INSERT INTO event (chat, payload) VALUES (?, ?)", -1, &insertion, nil)
    guard status == 0, let insertion else { throw BenchError("SQLite says \(status) to the insertion") }
    self.insertion = insertion
  }

  deinit {
    _ = library.finalize(insertion)
    _ = library.close(database)
  }

  /// Inserts events in one transaction; they are on the disk when this returns.
  func append(_ count: Int, chat: Int) throws {
    if count > 1 { try run("BEGIN IMMEDIATE") }
    for _ in 0..<count {
      try payload.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress, library.bindInteger(insertion, 1, Int64(chat)) == 0,
          // nil: the bytes stay where they are until the step is done.
          library.bindBlob(insertion, 2, start, Int32(bytes.count), nil) == 0
        else { throw BenchError("SQLite takes no event") }
        let status = library.step(insertion)
        guard status == Self.isDone, library.reset(insertion) == 0 else {
          throw BenchError("SQLite says \(status) to an event")
        }
      }
    }
    if count > 1 { try run("COMMIT") }
  }

  private func run(_ statement: String) throws {
    let status = library.execute(database, statement, nil, nil, nil)
    guard status == 0 else { throw BenchError("SQLite says \(status) to \(statement)") }
  }
}
