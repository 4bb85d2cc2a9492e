import CarillonClient

/// Everything that the story is played with.
struct DemoStage {
  let directory: DemoDirectory
  let screen: DemoScreen
  let receiver: DemoPushReceiver
  let server: DemoServer

  /// - Parameter services: sections of the configuration that the story is about; told the URL of the receiver.
  init(_ screen: DemoScreen, services: (_ receiverURL: String) -> String, keepsDirectory: Bool) async throws {
    self.screen = screen
    directory = try DemoDirectory(isKept: keepsDirectory)
    receiver = try await DemoPushReceiver()
    let url = "http://127.0.0.1:\(receiver.port)/push"
    server = try DemoServer(directory: directory.path, pushURL: url, services: services(url))
  }

  /// Starts what a story about pushes needs.
  /// - Returns: the agent's token.
  func raiseCurtain(for agent: String) async throws -> String {
    let token = try await server.makeToken(name: agent)
    screen.says(.push, "a push receiver listens on http://127.0.0.1:\(receiver.port)/push")
    try await startServer()
    return token
  }

  func startServer() async throws {
    let time = try await server.start()
    screen.says(.server, "listens on \(server.address), data in \(server.directory)/data")
    screen.check("ready after \(DemoScreen.seconds(time))")
  }

  /// Ends what runs and removes what was made.
  func clear() async {
    await server.end()
    await receiver.close()
    directory.clear(screen)
  }
}
