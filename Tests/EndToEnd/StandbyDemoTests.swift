import Testing

extension ServerFromOutside {
  @Suite("carillon demo standby", .timeLimit(.minutes(2)))
  struct StandbyDemoTests {
    @Test("the story of a lost machine comes out as it must, and ends with 0")
    func standby() async throws {
      try await ServerProcess.run(starts: false) { server in
        let story = try await server.command(
          ["demo", "standby", "--keep"], environment: ["TMPDIR": server.directory], within: .seconds(90))
        #expect(story.status == 0, "\(story.output)")
        #expect(story.output.contains("checks passed") && !story.output.contains("FAILED"), "\(story.output)")
        #expect(story.output.contains("SIGKILL") && story.output.contains("the same on both machines"))
        try DataDirectoryList.check(server.directory)
      }
    }
  }
}
