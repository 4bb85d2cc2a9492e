public import Foundation
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// One server, and the connections to it. Knows nothing of what the requests mean. Spec: providers 2.1, 7.
///
/// All connections of an origin share one event loop. Each request ends in exactly one `HTTP2Outcome`; nothing is sent
/// twice, that is the caller's decision.
public final class HTTP2Origin: Sendable {
  public let settings: HTTP2Settings
  /// When the client certificate ends; nil without one. Spec: providers 2.3.
  public let certificateExpiry: Date?

  let core: OriginCore
  private let inbox: OriginInbox

  /// Reads the certificate files now, blocking; connects when there is something to send.
  /// - Throws: what is wrong with the settings or the files.
  public convenience init(_ settings: HTTP2Settings) throws(HTTP2ConfigurationError) {
    try self.init(settings, loop: MultiThreadedEventLoopGroup.singleton.next())
  }

  init(_ settings: HTTP2Settings, loop: any EventLoop) throws(HTTP2ConfigurationError) {
    try settings.checkLimits()
    let tls = settings.scheme == "https" ? try TLSMaterial(settings) : nil
    self.settings = settings
    certificateExpiry = tls?.certificateExpiry
    core = OriginCore(settings, tls: tls?.context, loop: loop)
    inbox = OriginInbox(core)
  }

  deinit { inbox.put(.abandon) }

  /// Sends one request and waits for its end: at most `requestTimeout` for a stream and as long again for the answer.
  ///
  /// A cancelled task gives its stream up at once: `unprocessed` if it was not written yet, else `unknown`.
  public func send(_ request: HTTP2Request) async -> HTTP2Outcome {
    let exchange = Exchange(request)
    return await withTaskCancellationHandler {
      // Unchecked, because there is one for each request: an exchange is settled once, whatever becomes of it.
      await withUnsafeContinuation { inbox.put(.send(exchange, $0)) }
    } onCancel: {
      inbox.put(.cancel(exchange))
    }
  }

  /// No new requests on this connection; those that it has may end. Spec: providers 2.7, UnrelatedKeyIdInToken.
  public func retire(_ connection: HTTP2ConnectionID) { inbox.put(.retire(connection)) }

  /// New connections for what comes, the old ones finish. Spec: providers 2.1, changed key or topics.
  public func retireAll() { inbox.put(.retire(nil)) }

  /// Answers what waits with `unprocessed`, gives what is written `grace` to end, and closes everything. Repeatable.
  public func shutdown(grace: Duration = .seconds(2)) async {
    let done = core.loop.makePromise(of: Void.self)
    inbox.put(.shutdown(TimeAmount(min(max(grace, .zero), Limits.durationMaximum)), done))
    try? await done.futureResult.get()
  }

  /// How it stands: connections that are up (those that only finish included), streams open, requests that wait.
  public var statistics: (connections: Int, streams: Int, waiting: Int) {
    let counters = core.counters
    return (
      counters.connections.load(ordering: .relaxed), counters.streams.load(ordering: .relaxed),
      counters.waiting.load(ordering: .relaxed)
    )
  }
}

/// The way onto the origin's loop: in order, and with one wake-up for all that came meanwhile.
private final class OriginInbox: Sendable {
  enum Errand: Sendable {
    case send(Exchange, UnsafeContinuation<HTTP2Outcome, Never>)
    case cancel(Exchange)
    case retire(HTTP2ConnectionID?)
    case shutdown(TimeAmount, EventLoopPromise<Void>)
    case abandon
  }

  private struct State {
    var errands: [Errand] = []
    var isScheduled = false
  }

  private let core: OriginCore
  private let state = Mutex(State())

  init(_ core: OriginCore) { self.core = core }

  func put(_ errand: Errand) {
    let mustSchedule = state.withLock { state in
      state.errands.append(errand)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { core.loop.execute { self.drain() } }
  }

  private func drain() {
    let errands = state.withLock { state in
      var taken: [Errand] = []
      taken.reserveCapacity(state.errands.count)
      swap(&taken, &state.errands)
      state.isScheduled = false
      return taken
    }
    for errand in errands {
      switch errand {
      case .send(let exchange, let continuation): core.accept(exchange, continuation)
      case .cancel(let exchange): core.cancel(exchange)
      case .retire(let id): core.retire(id)
      case .shutdown(let grace, let done): core.shutdown(grace: grace, done)
      case .abandon: core.shutdown(grace: .zero, nil)
      }
    }
    core.pump()
  }
}
