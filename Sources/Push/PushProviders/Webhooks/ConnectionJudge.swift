internal import NIOCore
internal import NIOSSL
internal import NetworkAddress

/// Looks at a connection that stands, before anything of a request is written to it.
enum ConnectionJudge {
  /// The connection went to another address than the one that was checked.
  struct WrongAddress: Error {}
  /// The peer's certificate is not for the host's name.
  struct WrongName: Error {}

  /// Succeeds if the connection is the one that was wanted; else it is closed.
  /// - Parameter address: nil if any address is good.
  static func judge(_ channel: any Channel, host: String, address: IPAddress?) -> EventLoopFuture<Void> {
    let loop = channel.eventLoop
    if let address, channel.remoteAddress.flatMap({ IPAddress($0) }) != address {
      return refuse(channel, WrongAddress())
    }
    // The library also takes a certificate for the address that it is connected to, whatever the name. For a host with
    // a name that is not enough: whoever turns the name to his own address would need no more.
    guard IPAddress(host) == nil else { return loop.makeSucceededVoidFuture() }
    return channel.pipeline.handler(type: NIOSSLClientHandler.self).map { _ in true }.flatMapErrorThrowing { _ in false
    }.flatMap { isTLS in
      guard isTLS else { return loop.makeSucceededVoidFuture() }
      return channel.nioSSL_peerCertificate().flatMap { certificate in
        guard let certificate, isFor(host, certificate) else { return refuse(channel, WrongName()) }
        return loop.makeSucceededVoidFuture()
      }
    }
  }

  private static func refuse(_ channel: any Channel, _ error: any Error) -> EventLoopFuture<Void> {
    // After the failure has been noted: the pool must not hear of the closing first.
    channel.eventLoop.execute { channel.close(mode: .all, promise: nil) }
    return channel.eventLoop.makeFailedFuture(error)
  }

  /// One of its names is the host's, or stands for it with `*` as its first label. Spec: RFC 9525, 6.3.
  private static func isFor(_ host: String, _ certificate: NIOSSLCertificate) -> Bool {
    let parent = host.split(separator: ".", maxSplits: 1).dropFirst().first
    for name in certificate._subjectAlternativeNames() where name.nameType == .dnsName {
      let text = String(decoding: name.contents, as: UTF8.self).lowercased()
      if text == host || (text.hasPrefix("*.") && text.dropFirst(2) == parent) { return true }
    }
    return false
  }
}
