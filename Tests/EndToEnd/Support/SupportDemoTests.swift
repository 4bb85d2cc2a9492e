import Testing

extension ServerFromOutside {
  @Suite("carillon demo support", .timeLimit(.minutes(2)))
  struct SupportDemoTests {
    @Test("the story of a support request comes out as it must, and ends with 0")
    func support() async throws {
      try await ServerProcess.run(starts: false) { server in
        let story = try await server.command(["demo", "support", "--keep"], environment: ["TMPDIR": server.directory])
        #expect(story.status == 0, "\(story.output)")
        #expect(story.output.contains("checks passed") && !story.output.contains("FAILED"), "\(story.output)")
        #expect(story.output.contains("SIGKILL") && story.output.contains("the journal is whole"))
        try DataDirectoryList.check(server.directory)
      }
    }
  }
}
