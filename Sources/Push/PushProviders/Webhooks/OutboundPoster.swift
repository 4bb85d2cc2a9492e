internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import NetworkAddress
internal import Synchronization

/// Posts, within bounds; what webhooks, Airship and Web Push have in common.
///
/// It follows no redirect, uses no proxy and logs nothing: URLs, tokens and texts are other people's secrets. The only
/// thing it repeats is the search for an address of the host that takes connections.
final class OutboundPoster: Sendable {
  private let settings: WebhookSettings
  private let book: AddressBook
  let pool: ClientPool

  init(_ settings: WebhookSettings, _ book: AddressBook) {
    self.settings = settings
    self.book = book
    pool = ClientPool(settings)
  }

  func shutdown() async {
    book.shutdown()
    await pool.shutdown()
  }

  func post(_ post: OutboundPost) async throws(OutboundFailure) -> OutboundAnswer {
    guard post.body.count <= settings.bodyBytesMaximum else { throw .refused("body too large") }
    let deadline =
      NIODeadline.now() + TimeAmount(post.answerTimeout ?? settings.connectTimeout + settings.readTimeout)
    guard case .guarded(let policy) = post.route else { return try await execute(post, at: nil, deadline) }
    // Before anybody is asked for the name.
    if let objection = policy.objection(toSchemeOf: post.url) { throw .refused(objection) }
    let addresses = try await checkedAddresses(of: post.url, policy).prefix(settings.addressesTriedMaximum)
    var failure = OutboundFailure.notConnected("name not found")
    for address in addresses {
      do { return try await execute(post, at: address, deadline) } catch {
        failure = error
        guard case .notConnected = error else { break }
        book.demote(address, of: post.url.host)
      }
    }
    throw failure
  }

  /// Why nothing is to be posted to this URL, as its name leads now; nil as well if nobody knows the name.
  func objection(to url: WebhookURL, _ policy: EndpointPolicy) async -> String? {
    if let objection = policy.objection(toSchemeOf: url) { return objection }
    do {
      _ = try await checkedAddresses(of: url, policy)
      return nil
    } catch {
      guard case .refused(let reason) = error else { return nil }
      return reason
    }
  }

  /// The addresses that may be connected to; never empty. One that may not be spoils all. Spec: providers 4.5.
  private func checkedAddresses(of url: WebhookURL, _ policy: EndpointPolicy) async throws(OutboundFailure)
    -> [IPAddress]
  {
    var addresses: [IPAddress]
    if let address = url.address {
      addresses = [address]
    } else {
      do { addresses = try await book.addresses(of: url.isLocalhost ? "localhost" : url.host) } catch {
        switch error {
        case .notFound: throw .notConnected("name not found")
        case .timedOut: throw .notConnected("name look-up timed out")
        case .busy: throw .notConnected("too many name look-ups")
        }
      }
      if url.isLocalhost {
        // All of them are this machine, and it says so itself: the operator who allows one of them means this.
        let allowed = addresses.filter { policy.allows($0) }
        if !allowed.isEmpty { addresses = allowed }
      }
    }
    if let objection = policy.objection(to: url, at: addresses) { throw .refused(objection) }
    return addresses
  }

  private func execute(_ post: OutboundPost, at address: IPAddress?, _ deadline: NIODeadline)
    async throws(OutboundFailure) -> OutboundAnswer
  {
    var request = HTTPClientRequest(url: post.url.text)
    request.method = .POST
    for header in post.headers { request.headers.add(name: header.name, value: header.value) }
    request.headers.add(name: "User-Agent", value: "Carillon/\(settings.version)")
    let body = WatchedBody(post.body)
    request.body = .bytes(body)
    let readTimeout = post.answerTimeout ?? settings.readTimeout
    let key = ClientPool.Key(host: post.url.host, address: address, trust: post.trust, readTimeout: readTimeout)
    guard let lease = pool.borrow(key) else { throw .shutDown }
    defer { pool.giveBack(lease) }
    do {
      let response = try await lease.client.execute(request, deadline: deadline)
      return OutboundAnswer(
        status: Int(response.status.code), retryAfter: response.headers.first(name: "Retry-After"),
        date: response.headers.first(name: "Date"),
        body: await read(response, keeps: post.keepsAnswer, within: readTimeout))
    } catch {
      // Nobody asks for a body that is empty: what is not known counts as written.
      throw Self.failure(of: error, wasWritten: body.hasBeenRead || body.isEmpty)
    }
  }

  /// Reads a short body, so that the connection can be used again; a long or slow one costs the connection instead.
  private func read(_ response: HTTPClientResponse, keeps: Bool, within limit: Duration) async -> [UInt8] {
    let deadline = ContinuousClock.now + limit
    var bytes: [UInt8] = []
    var count = 0
    do {
      for try await part in response.body {
        if keeps { bytes += part.readableBytesView.prefix(settings.answerBytesMaximum - count) }
        count += part.readableBytes
        if count >= settings.answerBytesMaximum || ContinuousClock.now > deadline { break }
      }
    } catch {
      // The status has been said; how the body ends changes nothing.
    }
    return bytes
  }

  /// The error's own text may hold the host or the URL, so it is never used.
  private static func failure(of error: any Error, wasWritten: Bool) -> OutboundFailure {
    func failed(_ reason: String) -> OutboundFailure { wasWritten ? .unanswered(reason) : .notConnected(reason) }
    switch error {
    case is ConnectionJudge.WrongAddress: return .refused("private address")
    case is ConnectionJudge.WrongName: return .untrusted
    case is CancellationError: return .cancelled(wasWritten: wasWritten)
    case let error as NIOSSLExtraError where error == .failedToValidateHostname: return .untrusted
    // BoringSSL names the failure in its text alone.
    case NIOSSLError.handshakeFailed(let cause) where "\(cause)".contains("CERTIFICATE_VERIFY_FAILED"):
      return .untrusted
    case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: return failed("TLS failed")
    case ChannelError.connectTimeout: return failed("connect timed out")
    case is HTTPParserError: return failed("protocol error")
    case let error as HTTPClientError:
      switch error {
      case .cancelled: return .cancelled(wasWritten: wasWritten)
      case .alreadyShutdown where !wasWritten: return .shutDown
      case .invalidURL, .emptyHost, .emptyScheme: return .refused("invalid URL")
      case .connectTimeout: return failed("connect timed out")
      case .tlsHandshakeTimeout: return failed("TLS timed out")
      case .readTimeout, .writeTimeout, .deadlineExceeded:
        return failed(wasWritten ? "no answer in time" : "no connection in time")
      case .remoteConnectionClosed: return failed("connection closed")
      default: return failed("connection failed")
      }
    default: return failed("connection failed")
    }
  }
}

/// The body of a request that knows whether it has been asked for: the client does so when the connection stands and
/// the head has been written, and not before.
private struct WatchedBody: RandomAccessCollection, Sendable {
  private final class Flag: Sendable { let isRaised = Mutex(false) }

  private let bytes: [UInt8]
  private let flag = Flag()

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var hasBeenRead: Bool { flag.isRaised.withLock { $0 } }

  var startIndex: Int { bytes.startIndex }
  var endIndex: Int { bytes.endIndex }

  subscript(index: Int) -> UInt8 {
    flag.isRaised.withLock { $0 = true }
    return bytes[index]
  }

  func withContiguousStorageIfAvailable<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows
    -> Result?
  {
    flag.isRaised.withLock { $0 = true }
    return try bytes.withContiguousStorageIfAvailable(body)
  }
}
