import BenchReport
import Testing

@Suite("Records that are followed, seen by questions")
struct FollowedRecordsTests {
  /// Answers that come a millisecond after their questions, which are asked at these milliseconds.
  private func followed(_ answers: [(asked: Int64, position: UInt64, followed: UInt64)]) -> FollowedRecords {
    var records = FollowedRecords()
    for answer in answers {
      records.answer(
        asked: answer.asked * 1_000_000, answered: (answer.asked + 1) * 1_000_000, position: answer.position,
        followed: answer.followed)
    }
    return records
  }

  @Test("a record's time begins with the last question without it and ends with the answer that has it on both")
  func time() {
    let records = followed([(0, 10, 10), (10, 10, 10), (20, 11, 10), (30, 11, 10), (40, 11, 11)])
    #expect(records.latencies.count == 1)
    // From the question at 10, which was answered without it, to the answer at 41.
    #expect(records.latencies.maximum == 31)
    #expect(records.isLevel)
  }

  @Test("one that is on both at once took no longer than from one question to the answer to the next")
  func atOnce() {
    let records = followed([(0, 0, 0), (10, 5, 5)])
    #expect(records.latencies.count == 5)
    #expect(records.latencies.maximum == 11)
  }

  @Test("each record counts, those that came together and were acknowledged apart too")
  func apart() {
    let records = followed([(0, 0, 0), (10, 100, 0), (20, 150, 90), (30, 150, 120), (40, 150, 150)])
    #expect(records.latencies.count == 150)
    // 90 and 20 of them 21 ms after the question before they were seen, 10 and 30 of them 31 ms.
    #expect(abs(records.latencies[50] - 21) < 0.1 && abs(records.latencies[72] - 21) < 0.1)
    #expect(abs(records.latencies[75] - 31) < 0.1 && records.latencies.maximum == 31)
  }

  @Test("what was there before the first answer is left out, followed or not")
  func before() {
    let records = followed([(0, 10, 4), (10, 10, 8), (20, 12, 11)])
    #expect(records.latencies.count == 1)
    #expect(!records.isLevel)
  }

  @Test("a standby that says more than was seen yet is believed once that is seen")
  func ahead() {
    let records = followed([(0, 10, 10), (10, 10, 12), (20, 12, 12)])
    #expect(records.latencies.count == 2)
    #expect(records.latencies.maximum == 11)
  }

  @Test("the rate of records and of answers is that from the first answer to the last")
  func rates() {
    let records = followed([(0, 100, 100), (10, 130, 100), (20, 150, 150)])
    #expect(abs(records.recordsPerSecond - 2_500) < 0.001)
    #expect(abs(records.millisecondsBetweenAnswers - 10) < 0.001)
  }

  @Test("of one answer or none there is no rate and no time", arguments: [0, 1])
  func nothing(count: Int) {
    let records = followed((0..<count).map { _ in (0, 7, 7) })
    #expect(records.recordsPerSecond == 0 && records.millisecondsBetweenAnswers == 0)
    #expect(records.latencies.count == 0 && records.isLevel)
  }
}
