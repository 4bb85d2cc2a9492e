import ArgumentParser
import AsyncHTTPClient
import CarillonConfiguration
import Foundation
import JSONEnvelope
import NIOCore
import NIOHTTP1

/// `carillon push`: one push through a running server, its queue and its courier, and what became of it.
struct PushCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "Push something to one device, and print what became of it.",
    discussion: """
      Needs an operator's token: `carillon token create --name NAME --role admin`, in the environment as CARILLON_TOKEN or \
      in a file. Exits with 0 if the provider took the push, with 1 otherwise.
      """)

  @Option(help: "The id of a registered device, or TYPE:TOKEN to register one, such as ios:0f3a…") var device: String
  @Option(help: "Title of the notification.") var title: String?
  @Option(help: "Text of the notification.") var body: String?
  @Option(help: "The app's own data, a JSON object.") var data: String?
  @Option(help: "high or normal.") var priority: String = "high"
  @Option(help: "Seconds that the push is worth sending; 0 for now or never.") var timeToLive: Int?
  @Option(help: "A newer push with the same key replaces one that waits.") var collapseKey: String?
  @Option(help: "Name of the credentials (push.provider.<name>) for a device that is registered by this call.")
  var provider: String?
  @Flag(help: "The device belongs to the provider's test environment.") var debug = false
  @OptionGroup var caller: CallerArguments
  @OptionGroup var arguments: ConfigurationArguments

  func run() async throws {
    do {
      let caller = OperatorCaller(server: try caller.url(arguments), token: try caller.token())
      let id = try await registered(caller)
      let answer = try await caller.post("/admin/1/devices/\(id)/pushes", try order())
      let outcome = answer.body["outcome"]?.string ?? "unknown"
      var line = "\(outcome)"
      if let reason = answer.body["reason"]?.string, !reason.isEmpty { line += " (\(reason))" }
      if let attempts = answer.body["attempts"]?.integer { line += ", \(attempts) attempt\(attempts == 1 ? "" : "s")" }
      if let push = answer.body["id"]?.string { line += ", id \(push)" }
      Console.print(line)
      if outcome != "delivered" { throw ExitStatus.failure.exitCode }
    } catch let failure as CommandFailure {
      Console.remark("error: \(failure.text)")
      throw failure.status.exitCode
    }
  }

  /// The id of the device; a token is registered first.
  private func registered(_ caller: OperatorCaller) async throws -> String {
    guard let colon = device.firstIndex(of: ":") else { return device }
    var members = JSONObject()
    members["type"] = .string(String(device[..<colon]))
    members["identifier"] = .string(String(device[device.index(after: colon)...]))
    if let provider { members["provider"] = .string(provider) }
    if debug { members["debug"] = .bool(true) }
    let answer = try await caller.post("/admin/1/devices", .object(members))
    guard let id = answer.body["id"]?.string else {
      throw CommandFailure(.failure, "the server's answer names no device")
    }
    return id
  }

  private func order() throws -> JSONValue {
    var members = JSONObject()
    if let title { members["title"] = .string(title) }
    if let body { members["body"] = .string(body) }
    members["priority"] = .string(priority)
    if let timeToLive { members["timeToLive"] = .integer(Int64(timeToLive)) }
    if let collapseKey { members["collapseKey"] = .string(collapseKey) }
    if let data {
      guard let value = try? JSONValue(parsing: data), value.object != nil else {
        throw CommandFailure(.usage, "--data is not a JSON object")
      }
      members["data"] = value
    }
    return .object(members)
  }
}

/// Calls the operator's API of a running server.
struct OperatorCaller {
  let server: String
  let token: String

  /// - Throws: `CommandFailure` with what the server said, or that it says nothing.
  func post(_ path: String, _ body: JSONValue) async throws -> (status: UInt, body: JSONValue) {
    var request = HTTPClientRequest(url: server + path)
    request.method = .POST
    request.headers.add(name: "Authorization", value: "Bearer \(token)")
    request.headers.add(name: "Content-Type", value: "application/json")
    request.body = .bytes(ByteBuffer(bytes: body.text))
    let response: HTTPClientResponse
    let bytes: ByteBuffer
    do {
      response = try await HTTPClient.shared.execute(request, timeout: TimeAmount(Limits.operatorTimeout))
      bytes = try await response.body.collect(upTo: Limits.operatorAnswerBytesMaximum)
    } catch {
      throw CommandFailure(.failure, "\(server) does not answer: \(error)")
    }
    let value = (try? JSONValue(parsing: Array(bytes.readableBytesView))) ?? .null
    guard (200..<300).contains(response.status.code) else {
      let message = value["message"]?.string ?? response.status.reasonPhrase
      throw CommandFailure(.failure, "the server says \(response.status.code): \(message)")
    }
    return (response.status.code, value)
  }
}
