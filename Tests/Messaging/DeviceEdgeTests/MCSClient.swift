import EdgeSecurity
import Engine
import MCSProtocol
import NIOCore
import NIOPosix
import NIOSSL
import SwiftProtobuf

@testable import DeviceEdge

/// A device's side of a connection, for tests: says what it is told to, and keeps what it hears.
final class MCSClient {
  struct Unexpected: Error {}

  private let channel: any Channel
  private var stanzas: AsyncStream<MCSStanza>.Iterator

  private init(_ channel: any Channel, _ stanzas: AsyncStream<MCSStanza>) {
    self.channel = channel
    self.stanzas = stanzas.makeAsyncIterator()
  }

  static func connect(_ port: Int, tls: TLSFiles? = nil) async throws -> MCSClient {
    let (stanzas, continuation) = AsyncStream.makeStream(of: MCSStanza.self)
    let context = try tls.map { files in
      var configuration = TLSConfiguration.makeClientConfiguration()
      configuration.trustRoots = .file(files.certificateChainPath)
      configuration.certificateVerification = .noHostnameVerification
      return try NIOSSLContext(configuration: configuration)
    }
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let context {
            try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
          }
          try channel.pipeline.syncOperations.addHandler(StanzaCollector(continuation))
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
    return MCSClient(channel, stanzas)
  }

  func send(bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

  func send(_ stanza: MCSStanza) async throws { try await send(bytes: stanza.frame ?? []) }

  func logIn(
    _ credentials: InstallationCredentials, received: [String] = [],
    configure: (inout MCSLoginRequest) -> Void = { _ in }
  ) async throws {
    var request = MCSLoginRequest.with {
      $0.id = "test"
      $0.domain = "mcs.android.com"
      $0.user = String(credentials.id.androidID)
      $0.resource = $0.user
      $0.authToken = String(credentials.securityToken)
      $0.receivedPersistentID = received
      $0.useRmq2 = true
    }
    configure(&request)
    try await send(bytes: [41] + (MCSStanza.loginRequest(request).frame ?? []))
  }

  /// The next stanza; nil once the connection has ended.
  func next() async throws -> MCSStanza? { await stanzas.next() }

  /// The next stanza, which has to be a message.
  func message() async throws -> MCSDataMessageStanza {
    guard case .dataMessage(let message) = await stanzas.next() else { throw Unexpected() }
    return message
  }

  /// A ping's answer: everything that the server has had to say before is read by then.
  func ping() async throws -> [MCSStanza] {
    try await send(.heartbeatPing(MCSHeartbeatPing()))
    var before: [MCSStanza] = []
    while let stanza = await stanzas.next() {
      if case .heartbeatAck = stanza { return before }
      before.append(stanza)
    }
    throw Unexpected()
  }

  /// Pings until the server says that it has taken so many stanzas.
  func confirmed(upTo number: Int32) async throws {
    while true {
      try await send(.heartbeatPing(MCSHeartbeatPing()))
      while let stanza = await stanzas.next() {
        guard case .heartbeatAck(let ack) = stanza else { continue }
        if ack.lastStreamIDReceived >= number { return }
        break
      }
    }
  }

  /// Nothing more is read, as if the device hung.
  func stopReading() async throws { try await channel.setOption(.autoRead, value: false).get() }

  func close() async throws { try await channel.close() }
}

private final class StanzaCollector: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let stanzas: AsyncStream<MCSStanza>.Continuation
  private var decoder = MCSFrameDecoder()

  init(_ stanzas: AsyncStream<MCSStanza>.Continuation) { self.stanzas = stanzas }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
      var rest = bytes
      while let stanza = try? decoder.next(in: &rest) { stanzas.yield(stanza) }
    }
  }

  func channelInactive(context: ChannelHandlerContext) { stanzas.finish() }
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
