import PeerFormats
import Testing

@Suite("What the load tools of others print")
struct ToolOutputTests {
  @Test("pgbench: transactions a second, not counting the time to connect")
  func pgbench() {
    let output = """
      pgbench (15.13 (Debian 15.13-0+deb12u1))
      transaction type: insert.sql
      scaling factor: 1
      query mode: prepared
      number of clients: 64
      number of transactions actually processed: 61234
      latency average = 2.088 ms
      initial connection time = 71.125 ms
      tps = 30647.118842 (without initial connection time)

      """
    #expect(ToolOutput.pgbench(output) == 30_647.118842)
    #expect(ToolOutput.pgbench("pgbench: error: connection to server failed\n") == nil)
    #expect(ToolOutput.pgbench("tps = \n") == nil)
  }

  @Test("redis-benchmark: the first figure behind the command, whatever the command has in it")
  func redisBenchmark() {
    let header =
      #""test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms","p99_latency_ms","max_latency_ms""#
    let figures = #""69044.46","0.920","0.112","0.871","1.399","1.911","4.263""#
    #expect(
      ToolOutput.redisBenchmark(header + "\n\"XADD chat:__rand_int__ * e one, two\"," + figures + "\n") == 69_044.46)
    #expect(ToolOutput.redisBenchmark(header + "\n\"SET\"," + figures + "\r\n") == 69_044.46)
    #expect(ToolOutput.redisBenchmark(header) == nil)
    #expect(ToolOutput.redisBenchmark("Could not connect to Redis at 127.0.0.1:1: Connection refused\n") == nil)
    #expect(ToolOutput.redisBenchmark("") == nil)
  }

  @Test("db_bench: operations a second of the benchmark that was asked for")
  func dbBench() {
    let output = """
      Keys:       16 bytes each (+ 0 bytes user-defined timestamp)
      Values:     200 bytes each (100 bytes after compression)
      DB path: [/var/tmp/rocksdb]
      fillrandom   :      98.719 micros/op 10129 ops/sec 5.000 seconds 50648 operations;    2.1 MB/s

      """
    #expect(ToolOutput.dbBench(output, "fillrandom") == 10_129)
    #expect(ToolOutput.dbBench(output, "fillseq") == nil)
    #expect(ToolOutput.dbBench("fillrandom : 98.719 micros/op\n", "fillrandom") == nil)
    #expect(ToolOutput.dbBench("", "fillrandom") == nil)
  }
}
