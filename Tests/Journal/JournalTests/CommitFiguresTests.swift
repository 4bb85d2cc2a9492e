import Testing

@testable import Journal

@Suite("Journal, how commits went")
struct CommitFiguresTests {
  @Test("a part of the commits is told as what it did not exceed, at most a quarter too high")
  func parts() {
    for microseconds in [1, 2, 3, 4, 7, 8, 100, 777, 5_000, 1_000_000] {
      var figures = CommitFigures()
      for _ in 0..<10 { figures.add(.microseconds(microseconds), endedAt: 5) }
      let told = figures.microseconds(at: 0.5) ?? 0
      #expect(told >= microseconds && told <= microseconds + microseconds / 4 + 1, "\(microseconds)")
    }
  }

  @Test("one slow commit among a hundred shows in the hundredth, not in the median")
  func slowOne() {
    var figures = CommitFigures()
    for _ in 0..<99 { figures.add(.microseconds(200), endedAt: 1) }
    figures.add(.milliseconds(30), endedAt: 2)
    #expect((figures.microseconds(at: 0.5) ?? 0) < 300)
    #expect((figures.microseconds(at: 0.99) ?? 0) < 300)
    #expect((figures.microseconds(at: 1) ?? 0) >= 30_000)
    #expect(figures.count == 100 && figures.lastMilliseconds == 2)
    figures.add(.seconds(100_000), endedAt: 3)
    #expect(figures.count == 101)
  }

  @Test("what came since is what differs, and both together are the whole")
  func difference() {
    var figures = CommitFigures()
    figures.add(.microseconds(10), endedAt: 1)
    let earlier = figures
    figures.add(.milliseconds(10), endedAt: 2)
    let since = figures.since(earlier)
    #expect(since.count == 1 && (since.microseconds(at: 0.5) ?? 0) >= 10_000)
    #expect(earlier.adding(since) == figures)
    #expect(CommitFigures().microseconds(at: 0.5) == nil)
  }

  @Test("a writer counts its commits")
  func writer() throws {
    let journal = try TestJournal(FaultyStorage())
    #expect(journal.writer.commitFigures == CommitFigures())
    try journal.write(sampleRecords(15), unit: 5)
    let figures = journal.writer.commitFigures
    #expect(figures.count == 3 && figures.lastMilliseconds == 1_700_000_000_000)
    try journal.writer.close()
  }
}
