import JournalFormat
import Testing

@Suite("Commit pipeline")
struct CommitPipelineTests {
  @Test("only what was assigned before a commit began becomes durable with it")
  func groups() {
    var pipeline = CommitPipeline(lastPosition: 10, needsConfirmation: false)
    #expect(pipeline.durablePosition == 10)
    #expect(pipeline.assign(2) == 12)
    pipeline.begin()
    #expect(pipeline.assign(3) == 15)
    #expect(pipeline.durablePosition == 10)
    pipeline.synced(confirming: false)
    pipeline.finish()
    #expect(pipeline.durablePosition == 12)
    pipeline.begin()
    pipeline.synced(confirming: false)
    pipeline.finish()
    #expect(pipeline.durablePosition == 15)
  }

  @Test("a confirming frame is owed after records, and once")
  func confirmation() {
    var pipeline = CommitPipeline(lastPosition: 0, needsConfirmation: false)
    _ = pipeline.assign(1)
    pipeline.begin()
    pipeline.synced(confirming: false)
    pipeline.finish()
    #expect(pipeline.needsConfirmation)
    pipeline.begin()
    pipeline.synced(confirming: true)
    pipeline.finish()
    #expect(!pipeline.needsConfirmation)
  }

  @Test("after a failure nothing becomes durable")
  func failure() {
    var pipeline = CommitPipeline(lastPosition: 0, needsConfirmation: false)
    _ = pipeline.assign(1)
    pipeline.begin()
    pipeline.fail()
    #expect(pipeline.hasFailed)
    #expect(pipeline.durablePosition == 0)
  }

  @Test("a commit after a failure is a broken invariant")
  func commitAfterFailure() async {
    await #expect(processExitsWith: .failure) {
      var pipeline = CommitPipeline(lastPosition: 0, needsConfirmation: false)
      pipeline.begin()
      pipeline.fail()
      pipeline.begin()
    }
  }
}
