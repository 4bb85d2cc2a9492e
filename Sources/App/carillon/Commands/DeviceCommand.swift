import ArgumentParser
import CarillonClient
import CarillonConfiguration
import Foundation
import JSONEnvelope

/// `carillon device`: a device of one's own, which prints what it gets.
struct DeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "Be a device: register an app, print its token, then each message.",
    discussion: """
      Speaks the WebSocket form of a device's connection. With --identity it is the same device the next time, and gets \
      what was sent meanwhile. Waits for a server that is not there yet. Ends with its terminal.
      """)

  @Option(help: "Sender id of the app server; may be given again.") var sender: [String]
  @Option(help: "The app's package name.") var app = "org.example.app"
  @Option(help: "File that keeps who the device is; a new device each time if absent.") var identity: String?
  @Option(help: "Topic to subscribe to; may be given again.") var topic: [String] = []
  @Flag(help: "Print JSON: one object a line.") var json = false
  @Option(help: "The server; the configured port on loopback if absent.") var server: String?
  @OptionGroup var arguments: ConfigurationArguments

  func validate() throws {
    guard !sender.isEmpty else { throw ValidationError("Whose messages? Give --sender.") }
  }

  func run() async throws {
    do {
      try await receive()
    } catch let error as ClientError {
      Console.remark("error: \(error)")
      throw ExitStatus.failure.exitCode
    }
  }

  private func receive() async throws {
    let url = try server ?? ServerSettings(try arguments.loadOrExit()).ownURL
    let device = DeviceClient(try ServerAddress(url), identity: try known())
    let (app, senders, topics) = (app, sender, topic)
    let token = try await device.untilServed { error in
      Console.remark("waiting for \(url): \(error)")
    } _: {
      try await device.checkIn()
      let token = try await device.register(app: app, senders: senders)
      for name in topics { try await device.subscribe(token, to: name) }
      return token
    }
    if let identity = await device.identity { try keep(identity) }
    show(["token": .string(token)], "token \(token)")
    for try await message in await device.messages() {
      show(message.json, message.line)
      await device.acknowledge(message.id)
    }
  }

  private func show(_ value: JSONValue, _ line: String) {
    _ = Console.write((json ? value.text : Array(line.utf8)) + Array("\n".utf8))
  }

  private func known() throws -> DeviceIdentity? {
    guard let identity, let data = FileManager.default.contents(atPath: identity) else { return nil }
    let parts = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap { UInt64($0) }
    guard parts.count == 2 else { throw ValidationError("\(identity) does not say who a device is.") }
    return DeviceIdentity(id: parts[0], securityToken: parts[1])
  }

  /// For nobody else's eyes: whoever has it is the device.
  private func keep(_ fresh: DeviceIdentity) throws {
    guard let identity else { return }
    let content = Data("\(fresh.id) \(fresh.securityToken)\n".utf8)
    guard FileManager.default.createFile(atPath: identity, contents: content, attributes: [.posixPermissions: 0o600])
    else { throw ValidationError("\(identity) cannot be written.") }
  }
}

extension DeviceMessage {
  fileprivate var json: JSONValue {
    var object = JSONObject()
    object["id"] = .string(id)
    object["from"] = .string(from)
    object["category"] = .string(category)
    if let collapseKey { object["collapseKey"] = .string(collapseKey) }
    var pairs = JSONObject()
    for (key, value) in data.sorted(by: { $0.key < $1.key }) { pairs[key] = .string(value) }
    object["data"] = .object(pairs)
    return .object(object)
  }

  /// The app's pairs; a terminal is to see no control characters.
  fileprivate var line: String {
    let pairs = data.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    let text = (["message from \(from):"] + pairs).joined(separator: " ")
    return String(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : Character($0) })
  }
}
