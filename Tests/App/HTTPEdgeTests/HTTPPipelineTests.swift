import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPEdge
@testable import ServerKit

/// The server's pipeline on a channel without a socket, and time that passes when it is told to.
@Suite("HTTP pipeline", .timeLimit(.minutes(5)))
struct HTTPPipelineTests {
  private struct Stage {
    let channel: NIOAsyncTestingChannel
    let residents: LoopResidents

    static func run(_ body: (Stage) async throws -> Void) async throws {
      try await ServerHarness.run(limits: EdgeLimits()) { server in
        let services = Departures.services(of: server)
        let loop = NIOAsyncTestingEventLoop()
        let stage = Stage(channel: NIOAsyncTestingChannel(loop: loop), residents: LoopResidents(eventLoop: loop))
        try await loop.executeInContext {
          try HTTPPipeline(site: services).addHandlers(to: stage.channel, stage.residents)
        }
        try await stage.channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1))
        try await body(stage)
        _ = try? await stage.channel.finish(acceptAlreadyClosed: true)
        await loop.shutdownGracefully()
      }
    }

    func write(_ text: String) async throws { try await channel.writeInbound(ByteBuffer(string: text)) }

    /// All that has been written so far, an answer each.
    func answers() async throws -> [String] {
      var answers: [String] = []
      while let buffer = try await channel.readOutbound(as: ByteBuffer.self) { answers.append(String(buffer: buffer)) }
      return answers
    }

    func pass(_ duration: Duration) async throws {
      let residents = residents
      try await residents.eventLoop.submit {
        for _ in 0..<LoopResidents.ticks(duration) { residents.advance() }
      }.get()
    }
  }

  private static let request = "OPTIONS /genesys/cometd HTTP/1.1\r\nHost: x\r\n\r\n"

  @Test("requests in one segment are answered in their order, each once")
  func pipelined() async throws {
    try await Stage.run { stage in
      try await stage.write(
        Self.request + "OPTIONS /nowhere HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n" + Self.request)
      let answers = try await stage.answers()
      #expect(answers.map { $0.prefix(12) } == ["HTTP/1.1 204", "HTTP/1.1 417"])
      #expect(answers.last?.contains("Connection: close\r\n") == true)
    }
  }

  @Test("a connection is closed after its last request, and one that rests after its time")
  func keepAlive() async throws {
    try await Stage.run { stage in
      try await stage.write(Self.request)
      #expect(try await stage.answers().count == 1)
      try await stage.pass(.seconds(74))
      #expect(stage.channel.isActive)
      try await stage.pass(.seconds(1))
      #expect(!stage.channel.isActive)
      #expect(try await stage.answers().isEmpty)
    }
    try await Stage.run { stage in
      try await stage.write("OPTIONS /genesys/cometd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      #expect(try await stage.answers().count == 1)
      #expect(!stage.channel.isActive)
    }
  }

  @Test("a head and a body that do not end are refused in time")
  func slow() async throws {
    for (start, patience, text) in [
      ("POST /genes", Duration.seconds(10), "The request took too long"),
      (
        "POST /genesys/cometd HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n[", .seconds(15),
        "The body came too slowly"
      ),
    ] {
      try await Stage.run { stage in
        try await stage.write(start)
        try await stage.pass(patience - .seconds(1))
        #expect(try await stage.answers().isEmpty)
        try await stage.pass(.seconds(1))
        let answer = try await stage.answers().first ?? ""
        #expect(answer.hasPrefix("HTTP/1.1 408 ") && answer.contains(text))
      }
    }
  }

  @Test("a server that stops closes who rests at once")
  func stop() async throws {
    try await Stage.run { stage in
      try await stage.write(Self.request)
      stage.residents.stopAll()
      try await stage.residents.eventLoop.submit {}.get()
      #expect(!stage.channel.isActive)
    }
  }
  @Test("a server that stops leaves a standby's connection open, until that asks for something else")
  func stopOfStandby() async throws {
    try await Stage.run { stage in
      try await stage.write("OPTIONS /admin/1/standby/ack HTTP/1.1\r\nHost: x\r\n\r\n")
      stage.residents.stopAll(sparing: true)
      try await stage.residents.eventLoop.submit {}.get()
      #expect(stage.channel.isActive && stage.residents.outliving.current == 1)
      try await stage.write("OPTIONS /admin/1/standby/ack HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(stage.channel.isActive)
      try await stage.write(Self.request)
      #expect(!stage.channel.isActive && stage.residents.outliving.current == 0)
      #expect(try await stage.answers().map { $0.contains("Connection: close\r\n") } == [false, false, true])
    }
  }

  @Test("a connection that asked as a standby does and then as others do is closed by a stop like theirs")
  func formerStandby() async throws {
    try await Stage.run { stage in
      try await stage.write("OPTIONS /admin/1/standby/ack HTTP/1.1\r\nHost: x\r\n\r\n" + Self.request)
      #expect(stage.residents.outliving.current == 0)
      stage.residents.stopAll(sparing: true)
      try await stage.residents.eventLoop.submit {}.get()
      #expect(!stage.channel.isActive)
    }
  }
}
