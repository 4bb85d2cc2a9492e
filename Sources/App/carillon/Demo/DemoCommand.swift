import ArgumentParser
import CarillonClient

/// `carillon demo`: the main promises, played on this machine with a real server, client, agent and push receiver.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Play a story that survives the server's kill, or serve with sample customers.",
    discussion: """
      With --serve: a server with sample customers for people to work with, on port 8080 of this machine, and one-time \
      links to its console (carillon demo chat --help). Without it:

      Starts a server of its own on loopback with a temporary directory, kills it in the middle of the story, and \
      verifies the journal. Each step is checked; the exit code is 1 if one fails. Takes about 15 s.
      """,
    subcommands: [Chat.self, Callback.self, Support.self, Standby.self], defaultSubcommand: Chat.self)

  struct Chat: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "A chat that survives the app's background and the server's kill.")

    @OptionGroup var options: DemoOptions
    @OptionGroup var serving: DemoServing

    func run() async throws {
      guard !serving.isWanted else { return try await serving.run(isKept: options.keep) }
      try await options.play(services: { _ in DemoStory.services }) { try await DemoStory($0).play() }
    }
  }

  struct Callback: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "A callback from its order to the end of its chat; the server is killed after the customer's yes.")

    @OptionGroup var options: DemoOptions

    func run() async throws {
      try await options.play(services: { _ in CallbackStory.services }) { try await CallbackStory($0).play() }
    }
  }

  struct Support: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "A support request whose answers reach the customer's own back end, and so the phones.")

    @OptionGroup var options: DemoOptions

    func run() async throws {
      try await options.play(services: SupportStory.configuration) { try await SupportStory($0).play() }
    }
  }

  struct Standby: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "A chat that survives the loss of its machine: a standby takes over, and the former server follows it.")

    @OptionGroup var options: DemoOptions

    func run() async throws {
      try await options.play(services: { _ in StandbyStory.services }) { try await StandbyStory($0).play() }
    }
  }
}

/// How a story is played.
struct DemoOptions: ParsableArguments {
  @Flag(help: "Keep the temporary directory, to look at the journal and the log.") var keep = false

  /// Sets the stage, plays, clears up.
  /// - Parameter services: sections of the configuration; told the URL of the push receiver.
  func play(
    services: (_ receiverURL: String) -> String, _ story: (DemoStage) async throws -> Void
  ) async throws {
    let screen = DemoScreen()
    let stage: DemoStage
    do {
      stage = try await DemoStage(screen, services: services, keepsDirectory: keep)
    } catch {
      screen.failed("cannot set the stage: \(error)")
      throw ExitStatus.failure.exitCode
    }
    do {
      try await story(stage)
    } catch {
      screen.failed("\(error)")
      let log = stage.server.logTail
      if !log.isEmpty { screen.note("the server's log ends with:\n\(log)") }
      await stage.clear()
      throw ExitStatus.failure.exitCode
    }
    await stage.clear()
  }
}

/// A step that did not come out as it must.
struct DemoFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The times that keep the demo from waiting for ever, and those that it plays with.
enum DemoLimits {
  static let readyTimeout = Duration.seconds(15)
  /// What happens at once on this machine; generous, because the machine may be busy.
  static let eventTimeout = Duration.seconds(8)
  static let stopTimeout = Duration.seconds(10)
  /// `_client_timeout_notification`, seconds.
  static let pushDelaySeconds = 3
  /// From the agent's first message in the background to the kill.
  static let killDelay = Duration.milliseconds(1_200)
  /// For a push that must not come.
  static let silence = Duration.milliseconds(600)
  static let logTailBytes = 3_000
  static let receivedBytesMaximum = 65_536
}
