import CarillonClient
import ConsolePages

/// A server with sample customers, for people to work with.
struct DemoHouse {
  /// Who gets a link.
  static let staff = [("anna", "agent"), ("ben", "agent"), ("sue", "supervisor"), ("op", "admin")]
  /// Seconds from an agent's first line in the background to the push.
  private static let pushDelaySeconds = 4

  private let screen: DemoScreen
  private let directory: DemoDirectory
  private let post: CastPost
  private let receiver: DemoPushReceiver
  private let server: DemoServer

  /// - Parameters:
  ///   - port: a free one if nil.
  ///   - data: nil: in a temporary directory.
  ///   - isKept: whether that stays.
  init(_ screen: DemoScreen, port: Int?, data: String?, isKept: Bool) async throws {
    self.screen = screen
    let post = CastPost()
    self.post = post
    receiver = try await DemoPushReceiver(keeping: CastLimits.pushesKept) { post.judge($0, $1) }
    directory = try DemoDirectory(isKept: isKept)
    let address = "http://127.0.0.1:\(receiver.port)"
    do {
      server = try DemoServer(
        directory: directory.path, port: port, data: data, pushURL: address + CastPost.paths.good,
        services: Self.sections(address), isBound: false)
    } catch {
      await receiver.close()
      directory.clear(screen)
      throw error
    }
  }

  /// Starts everything, says so, and goes on until it is cancelled.
  /// - Throws: `DemoFailure` if the server ends by itself.
  func live() async throws {
    let colleague = try await open()
    let (room, start) = (CastRoom(), ContinuousClock.now)
    let players = CastMember.all.map { member in
      (member.deviceID, CastPlayer(member, server: server.address, room: room, start: start))
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (_, player) in players { group.addTask { await player.run() } }
      group.addTask { await CastColleague(server.address, token: colleague).run() }
      let byDevice = Dictionary(uniqueKeysWithValues: players)
      group.addTask { [post] in for await device in post.arrived { await byDevice[device]?.pushed() } }
      group.addTask { [server] in
        let status = try await server.ended()
        throw DemoFailure("the server has ended with \(status)")
      }
      // Not `waitForAll`, which would wait for the customers, too, when the server has ended.
      for try await _ in group {}
    }
  }

  /// Stops the server and clears up.
  /// - Throws: `error`, or what went wrong at the end.
  func close(afterAll error: (any Error)?) async throws {
    var error = error
    if error == nil {
      screen.note("\nstopping …")
      do { try await server.stop() } catch let failure { error = failure }
    }
    await server.end()
    await receiver.close()
    let log = error == nil ? "" : server.logTail
    if !log.isEmpty { screen.note("the server's log ends with:\n\(log)") }
    directory.clear(screen)
    if let error { throw error }
  }

  // MARK: Opening

  /// - Returns: the colleague's token.
  private func open() async throws -> String {
    let sender = try await server.secret(
      name: "demo-phone", ["--role", "sender", "--sender", DemoPhone.sender])
    // What is pushed to the phone in the page comes back to this server as any app server's message, and goes out to
    // the phone's connection.
    try server.configure(
      pushTypes: "comet,customhttp,fcm", retrySchedule: "5,10,20,40",
      pushOptions: ["fcm.apiKey: \(sender)", "fcm.legacy_url: \(server.address)/fcm/send"])
    let colleague = try await server.secret(
      name: CastColleague.name, ["--role", "agent", "--service", CastColleague.service.rawValue])
    _ = try await server.start(["--demo-app"])
    try await welcome()
    return colleague
  }

  private func welcome() async throws {
    screen.title("Carillon demo: \(server.address)/ with \(CastMember.all.count) sample customers")
    screen.note("Each link signs in once, within five minutes; a browser has one session at a time.\n")
    for (name, role) in Self.staff {
      Console.print("  \(Self.padded("\(name), \(role)"))\(try await server.link(name: name, role: role))")
    }
    Console.print("  \(Self.padded("a customer's phone"))\(server.address)/console/\(DemoPhone.path)")
    screen.note("\nAnother link: \(CommandLine.arguments[0]) token link anna \(server.place.joined(separator: " "))")
    screen.note("Ctrl-C ends it.")
  }

  private static func padded(_ text: String) -> String {
    text + String(repeating: " ", count: max(1, 22 - text.count))
  }

  /// - Parameter receiver: the address of the push receiver.
  private static func sections(_ receiver: String) -> String {
    let services = CastService.allCases.map { service in
      "service.\(service.rawValue):\n  _client_timeout_notification: \(pushDelaySeconds)\n"
    }
    return services.joined() + """
      push.provider.\(CastPush.shaky.rawValue):
        customhttp.url: \(receiver)\(CastPost.paths.shaky)
      push.provider.\(CastPush.gone.rawValue):
        customhttp.url: \(receiver)\(CastPost.paths.gone)
      service.\(CastDesk.callbackService):
        _service: callback
      support.app.\(CastDesk.app):
        integration: webhook
        webhook_url: \(receiver)\(CastPost.paths.good)
        test: true
      support.agents:
        anna: Anna
        ben: Ben
      """
  }
}
