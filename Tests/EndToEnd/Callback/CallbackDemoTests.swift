import Testing

extension ServerFromOutside {
  @Suite("carillon demo", .timeLimit(.minutes(2)))
  struct CallbackDemoTests {
    @Test("the story of a callback comes out as it must, and ends with 0")
    func callback() async throws {
      try await ServerProcess.run(starts: false) { server in
        let story = try await server.command(["demo", "callback"])
        #expect(story.status == 0, "\(story.output)")
        #expect(story.output.contains("checks passed") && !story.output.contains("FAILED"), "\(story.output)")
        #expect(story.output.contains("SIGKILL") && story.output.contains("the journal is whole"))
      }
    }

    @Test("without a name it is the story of the chat")
    func names() async throws {
      try await ServerProcess.run(starts: false) { server in
        let help = try await server.command(["demo", "--help"])
        #expect(help.status == 0)
        #expect(help.output.contains("chat (default)") && help.output.contains("callback"))
      }
    }
  }
}
