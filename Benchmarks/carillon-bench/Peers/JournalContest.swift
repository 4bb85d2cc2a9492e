import BenchReport
import NIOPosix
import PeerFormats

/// Events of 200 bytes, each on the disk before whoever brought it is answered.
enum JournalContest {
  private static let rawDisk = "raw disk"
  private static let carillon = "Carillon"

  static func make(seconds: Int) -> Contest {
    let sheet = PeerSheet(
      "journal", title: "Journal: durable events",
      about: """
        Events of 200 bytes, each synced before it is answered; so many writers, each of whom waits for its event before \
        it brings the next. The raw disk writes and syncs the same bytes into a file of zeros: one frame after another; a \
        log that 64 threads share and that is nothing else; 1,024 events in one write. Carillon is the journal as the \
        server opens it, with tasks as writers. SQLite is called through its own library (one connection; 64 connections \
        of 64 threads); Redis by `redis-benchmark` (`XADD` to 1,000 streams; 1 connection, 64, 64 with 16 on their way \
        each); PostgreSQL by `pgbench` (`INSERT`, prepared; 1 connection, 64); RocksDB by `db_bench --sync` (1 thread, \
        64). In the rows "in batches" and in RocksDB's last column nobody waits alone: one writer brings 64 or 1,024 \
        events at a time, which is what a program that gathers by itself gets of them.
        """,
      columns: [
        PeerSheet.Column("1", "1 writer", "events/s"), PeerSheet.Column("64", "64 writers", "events/s"),
        PeerSheet.Column("1024", "1,024 writers", "events/s"),
      ],
      rows: [carillon, rawDisk, "SQLite", "SQLite in batches", "Redis", "PostgreSQL", "RocksDB"].map {
        PeerSheet.Row($0)
      })
    return Contest(
      sheet,
      [
        Contest.Entrant(carillon, with: { try await journal(seconds) }),
        Contest.Entrant("SQLite", { try await sqlite(seconds) }),
        Contest.Entrant("SQLite in batches", { try await sqliteInBatches(seconds) }),
        Contest.Entrant("Redis", { try await redis(seconds) }),
        Contest.Entrant("PostgreSQL", { try await postgres(seconds) }),
        Contest.Entrant("RocksDB", { try await rocksDB(seconds) }),
      ])
  }

  // MARK: Carillon and the disk

  /// The disk is measured in the same minute: one moment of its moods says little of the next.
  private static func journal(_ seconds: Int) async throws -> [String: [String: Double]] {
    let duration = Duration.seconds(seconds)
    var own = try await NIOThreadPool.singleton.runIfActive { try JournalBench.single(duration) }
    let many = try await rawLog(threads: 64, seconds)
    for count in [64, 1_024] { own += try await JournalBench.concurrent(count, duration) }
    let batches = try await NIOThreadPool.singleton.runIfActive { try rawBatches(of: 1_024, duration) }
    func value(_ name: String) -> Double { own.first { $0.name == name }?.value ?? 0 }
    return [
      carillon: [
        "1": value("journal.append.synced.1"), "64": value("journal.append.synced.64"),
        "1024": value("journal.append.synced.1024"),
      ],
      rawDisk: ["1": value("journal.raw.synced.1"), "64": many, "1024": batches],
    ]
  }

  private static func rawLog(threads: Int, _ seconds: Int) async throws -> Double {
    let log = try RawLog(in: try WorkDirectory())
    let bytes = Array(JournalPayload.text.utf8)
    return try await Writers.eventsPerSecond(threads: threads, for: seconds) { _ in
      return {
        try log.append(bytes)
        return 1
      }
    }
  }

  private static func rawBatches(of count: Int, _ duration: Duration) throws -> Double {
    let disk = try RawDisk(in: try WorkDirectory())
    let bytes = Array(JournalPayload.text.utf8)
    let batch = (0..<count).flatMap { _ in bytes }
    return try disk.measure(batch, frameBytes: batch.count, for: duration).perSecond * Double(count)
  }

  // MARK: Others

  private static func sqlite(_ seconds: Int) async throws -> [String: Double] {
    [
      "1": try await sqlite(threads: 1, batch: 1, seconds), "64": try await sqlite(threads: 64, batch: 1, seconds),
    ]
  }

  private static func sqliteInBatches(_ seconds: Int) async throws -> [String: Double] {
    [
      "64": try await sqlite(threads: 1, batch: 64, seconds),
      "1024": try await sqlite(threads: 1, batch: 1_024, seconds),
    ]
  }

  private static func sqlite(threads: Int, batch: Int, _ seconds: Int) async throws -> Double {
    let library = try SQLiteLibrary()
    let directory = try WorkDirectory()
    let path = directory.path + "/events.sqlite"
    // Makes the database, so that the threads find it.
    _ = try SQLiteConnection(path, library)
    return try await Writers.eventsPerSecond(threads: threads, for: seconds) { thread in
      let connection = try SQLiteConnection(path, library)
      return {
        try connection.append(batch, chat: thread)
        return batch
      }
    }
  }

  private static func redis(_ seconds: Int) async throws -> [String: Double] {
    let directory = try WorkDirectory()
    let server = try await RedisServer.start(in: directory)
    return try await server.process.during {
      var figures: [String: Double] = [:]
      for (key, connections, depth) in [("1", 1, 1), ("64", 64, 1), ("1024", 64, 16)] {
        figures[key] = try await server.eventsPerSecond(
          connections: connections, depth: depth, for: seconds, in: directory)
      }
      return figures
    }
  }

  private static func postgres(_ seconds: Int) async throws -> [String: Double] {
    let server = try await PostgresServer.start(in: try WorkDirectory())
    return try await server.process.during {
      [
        "1": try await server.eventsPerSecond(connections: 1, for: seconds),
        "64": try await server.eventsPerSecond(connections: 64, for: seconds),
      ]
    }
  }

  private static func rocksDB(_ seconds: Int) async throws -> [String: Double] {
    [
      "1": try await RocksDB.eventsPerSecond(threads: 1, batch: 1, for: seconds),
      "64": try await RocksDB.eventsPerSecond(threads: 64, batch: 1, for: seconds),
      "1024": try await RocksDB.eventsPerSecond(threads: 1, batch: 1_024, for: seconds),
    ]
  }
}
