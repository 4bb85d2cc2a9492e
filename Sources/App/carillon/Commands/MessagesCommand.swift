import ArgumentParser
import AsyncHTTPClient
import CarillonClient
import CarillonConfiguration
import HTTPEdge
import JSONEnvelope
import NIOCore
import NIOHTTP1

/// `carillon messages --follow`: what happens to the messages of app servers, a line for each step.
struct MessagesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "messages", abstract: "Show what happens to messages, as it happens.",
    discussion: """
      Needs an operator's token, or a sender's key for its own messages: in the environment as CARILLON_TOKEN or in a \
      file. What the messages say is not shown. Ends when the server does.
      """)

  @Flag(help: "From now on; what was before is not kept.") var follow = false
  @Option(help: "Only messages of this sender id.") var sender: String?
  @Option(help: "Only messages to this app.") var app: String?
  @Option(help: "Only this message, by its id.") var message: String?
  @Flag(help: "Print the events as they come: one JSON object a line.") var json = false
  @OptionGroup var caller: CallerArguments
  @OptionGroup var arguments: ConfigurationArguments

  func validate() throws {
    guard follow else { throw ValidationError("Messages are shown as they come: give --follow.") }
  }

  func run() async throws {
    do {
      try await print(try await open())
      throw CommandFailure(.failure, "the server has ended the stream")
    } catch let failure as CommandFailure {
      Console.remark("error: \(failure.text)")
      throw failure.status.exitCode
    }
  }

  private func open() async throws -> HTTPClientResponse.Body {
    let server = try caller.url(arguments)
    var request = HTTPClientRequest(url: server + "/admin/1/messages/stream" + query)
    request.headers.add(name: "Authorization", value: "Bearer \(try caller.token())")
    let response: HTTPClientResponse
    do {
      response = try await HTTPClient.shared.execute(request, deadline: .distantFuture)
    } catch {
      throw CommandFailure(.failure, "\(server) does not answer: \(error)")
    }
    guard response.status == .ok else {
      throw CommandFailure(.failure, "the server says \(response.status.code) \(response.status.reasonPhrase)")
    }
    return response.body
  }

  private var query: String {
    let pairs = [("sender", sender), ("app", app), ("message", message)]
      .compactMap { name, value in value.map { "\(name)=\(Self.escaped($0))" } }
    return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
  }

  private func print(_ body: HTTPClientResponse.Body) async throws {
    var parser = EventStreamParser()
    do {
      for try await part in body {
        for event in try parser.received(part) {
          let line = json ? event.data : Self.line(of: event.data)
          guard Console.write(Array((line + "\n").utf8)) else { return }
        }
      }
    } catch {
      throw CommandFailure(.failure, "the stream broke: \(error)")
    }
  }

  /// Time, step, id, sender, app, target, and what there is to say about it.
  static func line(of event: String) -> String {
    guard let step = try? JSONValue(parsing: event) else { return event }
    var parts = [
      step["at"]?.string ?? "", (step["kind"]?.string ?? "").padding(to: 12), step["messageId"]?.string ?? "",
    ]
    for (name, member) in [
      ("from", "sender"), ("app", "app"), ("to", "target"), ("key", "collapseKey"), ("because", "reason"),
    ] {
      if let text = step[member]?.string, !text.isEmpty { parts.append("\(name) \(text)") }
    }
    // A name may hold anything; the terminal is to see no control characters.
    return String(
      parts.joined(separator: "  ").unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : Character($0) })
  }

  private static func escaped(_ text: String) -> String {
    text.utf8.reduce(into: "") { escaped, byte in
      let isPlain = UnicodeScalar(byte).properties.isAlphabetic && byte < 0x80 || (0x30...0x39).contains(byte)
      escaped += isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }
}

extension String {
  fileprivate func padding(to width: Int) -> String {
    count < width ? self + String(repeating: " ", count: width - count) : self
  }
}
