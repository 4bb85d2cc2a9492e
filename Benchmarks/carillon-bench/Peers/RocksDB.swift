import PeerFormats

/// RocksDB, by its own `db_bench`: each write is synced before it returns.
enum RocksDB {
  /// Events a second.
  /// - Parameters:
  ///   - threads: writers at the same time.
  ///   - batch: events of one write.
  static func eventsPerSecond(threads: Int, batch: Int, for seconds: Int) async throws -> Double {
    let directory = try WorkDirectory()
    let output = try await LoadTool.run(
      try Programs.require("db_bench", package: "rocksdb-tools"),
      [
        "--benchmarks=fillrandom", "--db=\(directory.path)/rocksdb", "--sync=1", "--value_size=200", "--key_size=16",
        "--num=1000000000", "--duration=\(seconds)", "--threads=\(threads)", "--batch_size=\(batch)",
      ], in: directory, atMost: Limits.setUpTimeout)
    guard let rate = ToolOutput.dbBench(output, "fillrandom") else {
      throw BenchError("db_bench is not understood:\n\(output.suffix(Limits.logTailBytes))")
    }
    return rate
  }
}
