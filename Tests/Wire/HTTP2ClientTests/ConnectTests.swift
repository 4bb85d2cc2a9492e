import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import HTTP2Client

extension HTTP2Tests {
  @Suite("HTTP/2 origin, connections that cannot be made or kept")
  struct ConnectTests {
    @Test("a port where nobody listens: nothing was processed, for all who wait")
    func refused() async throws {
      let origin = try HTTP2Origin(HTTP2Settings(baseURL: "https://127.0.0.1:1"))
      let outcomes = await sendAll((0..<10).map { .push("\($0)") }, over: origin)
      #expect(outcomes.allSatisfy { $0.summary == "transport: connection refused" })
      await origin.shutdown()
    }

    @Test("a name that does not exist")
    func noName() async throws {
      let origin = try HTTP2Origin(HTTP2Settings(baseURL: "https://no-such-host.invalid"))
      check(await origin.send(.push("a")), "transport: name not resolved")
      await origin.shutdown()
    }

    @Test("a server that takes the connection and says nothing")
    func mute() async throws {
      let mute = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .bind(host: "127.0.0.1", port: 0).get()
      let port = try #require(mute.localAddress?.port)
      var settings = try HTTP2Settings(baseURL: "https://127.0.0.1:\(port)")
      settings.connectTimeout = .milliseconds(200)
      let origin = try HTTP2Origin(settings)
      check(await origin.send(.push("a")), "transport: connect timed out")
      await origin.shutdown()
      try await mute.close()
    }

    @Test("a server that closes each connection before its first stream")
    func closedAtOnce() async throws {
      let server = try await FaultyServer(rules: #"{"cut_at_once": true}"#)
      let origin = try server.origin()
      let summary = await origin.send(.push("a")).summary
      #expect(["transport: connection closed at once", "unknown: connection cut"].contains(summary))
      #expect(try await server.report().number("made") <= 2)
      await origin.shutdown()
    }

    @Test(
      "a peer that agrees on no HTTP/2 is unusable", arguments: ["noalpn", "http1"])
    func noALPN(_ mode: String) async throws {
      let server = try await FaultyServer(mode: mode)
      let origin = try server.origin()
      check(await origin.send(.push("a")), "unusable: peer speaks no HTTP/2")
      await origin.shutdown()
    }

    @Test("a peer without TLS is unusable")
    func noTLS() async throws {
      let server = try await FaultyServer(mode: "plain")
      let origin = try server.origin()
      check(await origin.send(.push("a")), "unusable: peer speaks no TLS")
      await origin.shutdown()
    }

    @Test("a certificate of another authority, or of none that the system knows, is unusable")
    func untrusted() async throws {
      let server = try await FaultyServer()
      for path in [server.file("otherCA"), nil] {
        let origin = try server.origin { $0.caFile = path }
        let outcomes = await sendAll((0..<3).map { .push("\($0)") }, over: origin)
        #expect(outcomes.allSatisfy { $0.summary == "unusable: certificate not trusted" })
        await origin.shutdown()
      }
    }

    @Test("a certificate for another name or address is unusable")
    func names() async throws {
      let server = try await FaultyServer(["--name-only"])
      for name in ["push.example.org", nil] {
        let origin = try server.origin { $0.serverName = name }
        check(await origin.send(.push("a")), "unusable: certificate is for another name")
        await origin.shutdown()
      }
    }

    @Test("a certificate for the address is enough when no name is given")
    func address() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin { $0.serverName = nil }
      check(await origin.send(.push("a")), "answered 200")
      await origin.shutdown()
    }

    @Test("a client certificate is shown, from PEM and from PKCS#12")
    func clientCertificate() async throws {
      let server = try await FaultyServer(mode: "mtls")
      let certificates: [HTTP2Settings.ClientCertificate] = [
        .pem(chainPath: server.file("clientChain"), keyPath: server.file("clientKey")),
        .pkcs12(path: server.file("clientP12"), password: server.file("clientP12Password")),
      ]
      for (index, certificate) in certificates.enumerated() {
        let origin = try server.origin { $0.clientCertificate = certificate }
        check(await origin.send(.push("\(index)")), "answered 200")
        #expect(
          try await server.line { $0.event == "connected" && $0.connection == index + 1 }.text("peer") == "client")
        let expiry = try #require(origin.certificateExpiry)
        #expect(Int(expiry.timeIntervalSince1970) == server.fact("clientExpiry"))
        await origin.shutdown()
      }
    }

    @Test(
      "without the client certificate that it wants, or with another, a server is unusable", arguments: [false, true])
    func clientCertificateRefused(_ showsOne: Bool) async throws {
      // Not the stand-in: asyncio hangs up without the alert that says why.
      let files = try await FaultyServer()
      var tls = TLSConfiguration.makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMFile(files.file("serverChain")).map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(file: files.file("serverKey"), format: .pem)))
      tls.certificateVerification = .noHostnameVerification
      tls.trustRoots = .file(files.file("otherCA"))
      tls.applicationProtocols = ["h2"]
      let context = try NIOSSLContext(configuration: tls)
      let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
          }
        }.bind(host: "127.0.0.1", port: 0).get()
      var settings = try HTTP2Settings(baseURL: "https://localhost:\(server.localAddress?.port ?? 0)")
      settings.caFile = files.file("ca")
      if showsOne {
        settings.clientCertificate = .pem(chainPath: files.file("clientChain"), keyPath: files.file("clientKey"))
      }
      let origin = try HTTP2Origin(settings)
      #expect((origin.certificateExpiry != nil) == showsOne)
      check(
        await origin.send(.push("a")),
        showsOne ? "unusable: client certificate refused" : "unusable: peer wants a client certificate")
      await origin.shutdown()
      try await server.close()
    }

    @Test("a silent server is found out by PING, and its streams are unknown")
    func silent() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin {
        $0.pingWhenSilentFor = .milliseconds(300)
        $0.pingAnswerWithin = .seconds(5)
      }
      async let first = origin.send(.push("a", "hold"))
      try await server.line { $0.event == "ping" }
      try server.tell(["release": true])
      check(await first, "answered 200")
      try server.tell(["freeze": true])
      _ = try await server.report()
      check(await origin.send(.push("b")), "unknown: connection silent")
      try server.tell(["freeze": false])
      _ = try await server.report()
      #expect(await origin.send(.push("c")).response?.connection == HTTP2ConnectionID(2))
      await origin.shutdown()
    }

    @Test("an idle connection is pinged, and replaced if it is dead")
    func idle() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin {
        $0.pingWhenIdleEvery = .milliseconds(300)
        $0.pingAnswerWithin = .seconds(5)
      }
      check(await origin.send(.push("a")), "answered 200")
      try await server.line { $0.event == "ping" }
      #expect(origin.statistics.connections == 1)
      try server.tell(["freeze": true])
      try await until { origin.statistics.connections == 0 }
      try server.tell(["freeze": false])
      check(await origin.send(.push("b")), "answered 200")
      await origin.shutdown()
    }
  }
}
