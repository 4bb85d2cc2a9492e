import MCSProtocol
import NIOCore
import NIOPosix
import NIOSSL

/// Devices with their connections, as phones have them: MCS, over TLS or plain, every batch of messages acknowledged.
///
/// All on one event loop and without a task of their own. Belongs to that loop.
final class DeviceFleet {
  struct Settings: Sendable {
    let port: Int
    let isSecure: Bool
    /// Logins under way at a time.
    var loginsAtOnce = 256
  }

  let devices: [BenchDevice]
  let loop: any EventLoop
  /// A message has come: the device's index, its number.
  var onMessage: ((Int, Int) -> Void)?
  /// A device was told that all it has acknowledged is on the disk.
  var onSettled: ((Int) -> Void)?
  /// Messages so far.
  private(set) var messageCount = 0
  /// Connections that were made once more because the server had no room.
  private(set) var retryCount = 0
  private(set) var failure: BenchError?

  private let settings: Settings
  private let tls: NIOSSLContext?
  private var connections: [DeviceLine?]
  private var next = 0
  private var loggedInCount = 0
  private var promise: EventLoopPromise<Void>?
  private var isClosed = false

  init(_ devices: [BenchDevice], _ settings: Settings, on loop: any EventLoop) throws {
    self.devices = devices
    self.settings = settings
    self.loop = loop
    connections = Array(repeating: nil, count: devices.count)
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.certificateVerification = .none
    tls = settings.isSecure ? try NIOSSLContext(configuration: configuration) : nil
  }

  /// A fleet all of whose devices have logged in.
  static func connect(
    _ devices: [BenchDevice], to server: MessagingServer, loginsAtOnce: Int = 256
  ) async throws -> NIOLoopBound<DeviceFleet> {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let settings = Settings(port: server.devicePort, isSecure: server.isSecure, loginsAtOnce: loginsAtOnce)
    return try await loop.flatSubmit {
      do {
        let fleet = NIOLoopBound(try DeviceFleet(devices, settings, on: loop), eventLoop: loop)
        return fleet.value.connect().map { fleet }
      } catch {
        return loop.makeFailedFuture(error)
      }
    }.get()
  }

  /// Succeeds once all have logged in.
  func connect() -> EventLoopFuture<Void> {
    let promise = loop.makePromise(of: Void.self)
    self.promise = promise
    let bound = NIOLoopBound(self, eventLoop: loop)
    loop.scheduleTask(in: .seconds(Limits.setUpTimeout.components.seconds)) {
      if bound.value.promise != nil { bound.value.fail("logging in took more than \(Limits.setUpTimeout)") }
    }
    for _ in 0..<min(settings.loginsAtOnce, devices.count) { connectNext() }
    return promise.futureResult
  }

  func close() {
    isClosed = true
    for line in connections { line?.close() }
    connections = []
  }

  func fail(_ message: String) {
    guard failure == nil, !isClosed else { return }
    let error = BenchError(message)
    failure = error
    promise?.fail(error)
    promise = nil
  }

  /// Asks the server to say so when what this device has acknowledged is on the disk.
  func settle(_ index: Int) { connections[index]?.settle() }

  // MARK: Connections

  private func connectNext() {
    guard next < devices.count else { return }
    next += 1
    connect(next - 1)
  }

  private func connect(_ index: Int) {
    guard !isClosed, failure == nil else { return }
    let bound = NIOLoopBound(self, eventLoop: loop)
    ClientBootstrap(group: loop)
      .connectTimeout(.seconds(60))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelOption(
        .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 256, initial: 512, maximum: 16_384)
      )
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let fleet = bound.value
          let pipeline = channel.pipeline.syncOperations
          if let tls = fleet.tls { try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: nil)) }
          try pipeline.addHandler(DeviceLine(fleet, index))
        }
      }
      .connect(host: "127.0.0.1", port: settings.port)
      .assumeIsolated()
      .whenFailure { _ in bound.value.lost(index, nil) }
  }

  // MARK: From the connections

  func loggedIn(_ index: Int, _ line: DeviceLine) {
    connections[index] = line
    loggedInCount += 1
    if loggedInCount == devices.count {
      promise?.succeed()
      promise = nil
    } else {
      connectNext()
    }
  }

  func arrived(_ index: Int, _ message: MCSDataMessageStanza) {
    messageCount += 1
    guard let number = BenchMessage.number(in: message.appData.lazy.map { ($0.key, $0.value) }) else {
      return fail("a device got something else: \(message.appData.map(\.key))")
    }
    onMessage?(index, number)
  }

  func lost(_ index: Int, _ line: DeviceLine?) {
    guard !isClosed, failure == nil else { return }
    guard line?.isLoggedIn != true else { return fail("device \(index) was disconnected") }
    // As devices do; spread, and the same in each run.
    retryCount += 1
    let bound = NIOLoopBound(self, eventLoop: loop)
    loop.scheduleTask(in: .milliseconds(200 + Int64(index * 7_919 % 400))) { bound.value.connect(index) }
  }
}
