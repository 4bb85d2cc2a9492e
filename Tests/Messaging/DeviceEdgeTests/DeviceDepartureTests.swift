import EdgeSecurity
import Engine
import EventSourcing
import MCSProtocol
import NIOCore
import NIOEmbedded
import ServerKit
import SwiftProtobuf
import TestSupport
import Testing

@testable import DeviceEdge

/// What a device's connection costs once it has left: nothing. Each kind runs in a process of its own, where nobody else
/// allocates, and the bytes in use are read from the allocator.
@Suite("Devices that leave, in great number", .timeLimit(.minutes(10)))
struct DeviceDepartureTests {
  @Test("before they have logged in")
  func anonymous() async {
    await #expect(processExitsWith: .success) { try await DeviceDepartures.run(logsIn: false) }
  }

  @Test("after they have logged in")
  func loggedIn() async {
    await #expect(processExitsWith: .success) { try await DeviceDepartures.run(logsIn: true) }
  }
}

/// Connections without sockets: the pipeline is the server's, and so is the engine behind it.
enum DeviceDepartures {
  static func run(logsIn: Bool) async throws {
    try await DeviceRig.run { rig in
      let loop = NIOAsyncTestingEventLoop()
      let configuration = MCSConfiguration(port: 0)
      let admission = configuration.admission
      let pipeline = MCSPipeline(messaging: rig.engine.messaging, configuration: configuration)
      let acceptor = Acceptor(
        admission: admission, residents: Residents(group: loop), certificate: nil, pipeline: pipeline)
      let login = try await rig.device().credentials.login
      try await Departing.measureCostly(logsIn ? "device" : "device without a login") { count in
        for _ in 0..<count {
          let channel = NIOAsyncTestingChannel(loop: loop)
          try await loop.executeInContext { try acceptor.accept(channel) }
          if logsIn {
            try await channel.writeInbound(ByteBuffer(bytes: login))
            _ = try await channel.waitForOutboundWrite(as: ByteBuffer.self)
          } else {
            try await channel.writeInbound(ByteBuffer(bytes: login.prefix(7)))
          }
          _ = try await channel.finish(acceptAlreadyClosed: true)
          try await Departing.until { admission.connections.current == 0 && pipeline.anonymous.current == 0 }
        }
      }
      await loop.shutdownGracefully()
    }
  }
}

extension InstallationCredentials {
  /// The bytes by which a device logs in.
  fileprivate var login: [UInt8] {
    let request = MCSLoginRequest.with {
      $0.id = "test"
      $0.domain = "mcs.android.com"
      $0.user = String(id.androidID)
      $0.resource = $0.user
      $0.authToken = String(securityToken)
      $0.useRmq2 = true
    }
    return [MCSFrameDecoder.version] + (MCSStanza.loginRequest(request).frame ?? [])
  }
}
