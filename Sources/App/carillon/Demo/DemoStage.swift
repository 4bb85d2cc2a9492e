import CarillonClient

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Everything that the story is played with.
struct DemoStage {
  let directory: String
  let keepsDirectory: Bool
  let screen: DemoScreen
  let receiver: DemoPushReceiver
  let server: DemoServer

  /// - Parameter services: sections of the configuration that the story is about; told the URL of the receiver.
  init(_ screen: DemoScreen, services: (_ receiverURL: String) -> String, keepsDirectory: Bool) async throws {
    self.screen = screen
    self.keepsDirectory = keepsDirectory
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/carillon-demo-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw DemoFailure("cannot make a directory in \(parent)") }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    receiver = try await DemoPushReceiver()
    let url = "http://127.0.0.1:\(receiver.port)/push"
    server = try DemoServer(directory: directory, pushURL: url, services: services(url))
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
    if keepsDirectory {
      screen.note("kept: \(directory)")
    } else {
      Self.removeTree(directory)
    }
  }

  private static func removeTree(_ path: String) {
    if let stream = opendir(path) {
      while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { removeTree("\(path)/\(name)") }
      }
      closedir(stream)
    }
    _ = remove(path)
  }
}
