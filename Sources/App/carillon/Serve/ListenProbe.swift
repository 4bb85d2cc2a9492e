import CarillonConfiguration
import NIOCore
import NIOPosix
import ServerKit
import ServiceLifecycle

/// Where one of the servers listens.
struct ListenAddress: CustomStringConvertible {
  let host: String
  /// 0 takes a free one.
  let port: Int

  init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// `127.0.0.1:8080`, `[::1]:0`, `localhost:8080`; nil for anything else.
  init?(text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]),
      !text.hasSuffix("+\(port)")
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty, host.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    self.init(host: String(host), port: Int(port))
  }

  /// All that a server with this configuration listens on: HTTP, devices, app servers, scrapers.
  static func all(_ loaded: LoadedConfiguration, hasTokens: Bool) -> [ListenAddress] {
    let settings = ServerSettings(loaded)
    let messaging = MessagingSettingsOfServer(loaded)
    let host = hasTokens ? settings.host : LoopbackHost.address
    return [settings.port, messaging.mcsPort, messaging.ccsPort].compactMap(\.self)
      .map { ListenAddress(host: host, port: $0) }
      + (settings.metricsPort.map { [ListenAddress(host: settings.metricsHost, port: $0)] } ?? [])
  }

  /// Binds the address and lets go of it: a start that is bound to fail is to leave nothing on the disk.
  /// - Throws: `ServeFailure` with `.unavailable`, which names the address.
  func probe() throws(ServeFailure) {
    guard port != 0 else { return }
    do {
      let channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        // Takes nobody in: a connection that it had taken would stay open, with nobody to answer on it. Who comes in this
        // moment is reset when it closes.
        .serverChannelOption(.autoRead, value: false)
        .bind(host: host, port: port).wait()
      try channel.close().wait()
    } catch {
      throw failure(error)
    }
  }

  func failure(_ error: any Error) -> ServeFailure { ServeFailure(.unavailable, "cannot listen on \(self): \(error)") }

  /// `0.0.0.0:8080`, `[::1]:8080`
  var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}

/// A server whose failure to listen names the address.
struct ListeningService: Service {
  let server: any Service
  let address: ListenAddress

  func run() async throws {
    do {
      try await server.run()
    } catch let error as IOError {
      throw address.failure(error)
    } catch let error as SocketAddressError {
      throw address.failure(error)
    }
  }
}
