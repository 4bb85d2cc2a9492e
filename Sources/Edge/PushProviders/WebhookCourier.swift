internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import PushDomain

/// Posts JSON to other people's servers, within bounds; shared by all providers that do.
///
/// It follows no redirect, repeats nothing, and logs nothing: URLs, tokens and texts are other people's secrets.
/// Must be shut down before it goes.
public final class WebhookCourier: Sendable {
  private let settings: WebhookSettings
  private let anywhere: HTTPClient
  private let publicOnly: HTTPClient
  let limiter: InFlightLimiter

  public init(_ settings: WebhookSettings = WebhookSettings()) {
    self.settings = settings
    anywhere = HTTPClient(configuration: .webhooks(settings))
    publicOnly = HTTPClient(configuration: .webhooks(settings, publicOnly: true))
    limiter = InFlightLimiter(
      inFlightMaximum: settings.inFlightMaximum, perHostMaximum: settings.inFlightPerHostMaximum,
      waitingMaximum: settings.waitingMaximum)
  }

  /// Ends what is in flight and closes every connection. What is posted later fails at once, and may be tried again.
  public func shutdown() async {
    for client in [anywhere, publicOnly] {
      // The only error is that it has been done before.
      try? await client.shutdown()
    }
  }

  /// One POST. Delivered is exactly status 200, whatever the body is; all else may be tried again. Spec: GMS 7.3.
  /// - Parameter allowsPrivateAddresses: false refuses receivers on loopback, private and similar networks, judged by
  ///   the address that the connection has really got.
  func post(
    _ body: [UInt8], to url: WebhookURL, authorization: String? = nil, allowsPrivateAddresses: Bool = true
  ) async -> PushOutcome {
    if !allowsPrivateAddresses, let address = try? SocketAddress(ipAddress: url.host, port: 0), address.isPrivate {
      return .refused(reason: PrivateAddressError.reason)
    }
    var request = HTTPClientRequest(url: url.text)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    request.headers.add(name: "User-Agent", value: "Carillon")
    if let authorization { request.headers.add(name: "Authorization", value: authorization) }
    request.body = .bytes(ByteBuffer(bytes: body))

    switch await limiter.enter(url.origin) {
    case .admitted: break
    case .full: return .retryable(reason: "too many pushes wait")
    case .cancelled: return .retryable(reason: "cancelled")
    }
    defer { limiter.leave(url.origin) }
    do {
      let response = try await (allowsPrivateAddresses ? anywhere : publicOnly).execute(
        request, deadline: .now() + TimeAmount(settings.connectTimeout) + TimeAmount(settings.readTimeout))
      await discard(response)
      return outcome(of: response)
    } catch {
      return outcome(of: error)
    }
  }

  /// Reads a short body, so that the connection can be used again; a long or slow one costs the connection instead.
  private func discard(_ response: HTTPClientResponse) async {
    let deadline = ContinuousClock.now + settings.readTimeout
    var bytes = 0
    do {
      for try await part in response.body {
        bytes += part.readableBytes
        if bytes > settings.answerBytesMaximum || ContinuousClock.now > deadline { return }
      }
    } catch {
      // The status has been said; how the body ends changes nothing.
    }
  }

  private func outcome(of response: HTTPClientResponse) -> PushOutcome {
    if response.status == .ok { return .delivered }
    // Only the form in seconds: the date form would trust the receiver's clock.
    let after = response.headers.first(name: "Retry-After").flatMap { UInt32($0) }
    return .retryable(reason: "status \(response.status.code)", after: after.map { .seconds(Int64($0)) })
  }

  private func outcome(of error: any Error) -> PushOutcome {
    switch error {
    case is PrivateAddressError:
      return .refused(reason: PrivateAddressError.reason)
    case is CancellationError:
      return .retryable(reason: "cancelled")
    case let error as HTTPClientError:
      switch error {
      case .connectTimeout: return .retryable(reason: "connect timed out")
      case .readTimeout, .deadlineExceeded: return .retryable(reason: "no answer in time")
      case .remoteConnectionClosed: return .retryable(reason: "connection closed")
      case .cancelled: return .retryable(reason: "cancelled")
      case .alreadyShutdown: return .retryable(reason: "shut down")
      case .invalidURL, .emptyHost, .emptyScheme: return .refused(reason: "invalid URL")
      default: return .retryable(reason: error.shortDescription)
      }
    default:
      // The type's name says enough; the error's own text may hold the host or the URL.
      return .retryable(reason: "connection failed (\(type(of: error)))")
    }
  }
}

/// The connection went to an address that pushes must not go to.
private struct PrivateAddressError: Error {
  static let reason = "private address"
}

extension HTTPClient.Configuration {
  fileprivate static func webhooks(_ settings: WebhookSettings, publicOnly: Bool = false) -> HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.timeout.connect = TimeAmount(settings.connectTimeout)
    configuration.timeout.read = TimeAmount(settings.readTimeout)
    configuration.timeout.write = TimeAmount(settings.readTimeout)
    configuration.connectionPool.idleTimeout = TimeAmount(settings.idleTimeout)
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = settings.inFlightPerHostMaximum
    // The queue has its own pauses: a receiver that refuses connections is reported at once.
    configuration.connectionPool.retryConnectionEstablishment = false
    if publicOnly {
      // The name may resolve differently each time, so only the connection itself can be judged. Nothing of the request
      // has been written at this point.
      let judge: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
        guard let peer = channel.remoteAddress, !peer.isPrivate else {
          // After the failure has been noted: the pool must not hear of the closing first.
          channel.eventLoop.execute { channel.close(mode: .all, promise: nil) }
          return channel.eventLoop.makeFailedFuture(PrivateAddressError())
        }
        return channel.eventLoop.makeSucceededVoidFuture()
      }
      configuration.http1_1ConnectionDebugInitializer = judge
      configuration.http2ConnectionDebugInitializer = judge
    }
    return configuration
  }
}
