import NIOCore
import NIOHTTP1

/// One HTTP/1.1 connection: what is to be done with what comes, and nothing of the doing. No clock, no socket.
///
///     idle ──head──> judging ──> receiving ──end──> serving ──> polling ───────────────> writing ──> idle …
///                        │           │                     └──> routing ──> streaming ──┘  └──────> draining ──> closed
///                        └─refused───┴──────────────────────────────────────────────────┘
///
/// *judging* and *serving* are moments: somebody looks at the head, or finds out who answers. *polling* is a request that
/// the engine answers whenever it likes; *routing* has a task at work; *streaming* is its response leaving in parts;
/// *draining* lets the client read a refusal whose request it is still sending. One request at a time: what follows it
/// waits, bounded, and nothing more is read. After each turn that ends a request, `next` says how what waits goes on.
package struct HTTPConnectionMachine {
  enum Phase {
    case idle
    case judging(AnnouncedBody, HTTPExpectation)
    case receiving(IncomingBody)
    case serving
    /// `mayWait`: the answer may take long, and whoever closes the sending side has left.
    case polling(mayWait: Bool)
    case routing
    case streaming(ResponseStream)
    case writing
    case draining(bytes: Int)
    case closed
  }

  let limits: HTTPConnectionLimits
  private(set) var phase = Phase.idle

  // The request in progress.
  package private(set) var isHead = false
  /// Only there bodies go in chunks. HTTP/1.0 ends them with the connection, HTTP/2 with the stream.
  private(set) var isVersion11 = false
  /// The connection ends with the response in progress, or the next one.
  package private(set) var closesAfterResponse = false
  /// The response goes out before the request has been read whole: what is left of it is drained.
  private var leavesRequestUnread = false

  // The input.
  private var waiting: [HTTPServerRequestPart] = []
  /// So many of these are no longer waiting.
  private var taken = 0
  private var readIsWithheld = false
  private var hasPartSinceRead = false
  /// Bytes have come that make no complete head yet.
  private var hasPartialHead = false
  /// No request has been answered yet: the head's time runs from the accept.
  private var isFresh = true
  private var clientHasLeft = false

  package init(limits: HTTPConnectionLimits) { self.limits = limits }

  /// What is to be done after `input`.
  package mutating func received(_ input: HTTPConnectionInput) -> HTTPConnectionTurn {
    switch input {
    case .opened(let isStopping):
      closesAfterResponse = isStopping
      return HTTPConnectionTurn(.after(limits.headTimeout))
    case .part(let part): return received(part)
    case .readCompleted(let bytesRead): return readCompleted(bytesRead)
    case .readAsked:
      readIsWithheld = !waiting.isEmpty
      return readIsWithheld ? .nothing : HTTPConnectionTurn(.read)
    case .inputClosed: return inputClosed()
    case .unreadable: return unreadable()
    case .failed: return HTTPConnectionTurn(.close)
    case .ended: return ended()
    case .judged(let verdict): return judged(verdict)
    case .polls(let mayWait):
      phase = .polling(mayWait: mayWait)
      return mayWait ? .nothing : HTTPConnectionTurn(.after(limits.responseTimeout))
    case .routes:
      phase = .routing
      return HTTPConnectionTurn(.after(limits.responseTimeout))
    case .resumes:
      guard !clientHasLeft else { return HTTPConnectionTurn(.close) }
      phase = .serving
      return HTTPConnectionTurn(.cleared)
    case .refuses:
      refuses()
      return .nothing
    case .answers:
      phase = .writing
      return HTTPConnectionTurn(.after(limits.writeTimeout))
    case .streams(let hasLength, let isEventStream):
      phase = .streaming(ResponseStream(isChunked: !hasLength && isVersion11, isEventStream: isEventStream))
      return .nothing
    case .partBegins: return partBegins()
    case .partWritten: return partWritten()
    case .written(let success): return written(success)
    case .deadlinePassed(let now): return deadlinePassed(now)
    case .stops:
      closesAfterResponse = true
      if case .idle = phase { return HTTPConnectionTurn(.close) }
      return .nothing
    case .cut: return HTTPConnectionTurn(.close)
    }
  }

  /// How the connection goes on with what waits, once an action is done; nil if there is nothing to go on with now.
  package mutating func next() -> HTTPConnectionTurn? {
    guard taken < waiting.count else {
      if !waiting.isEmpty { (waiting, taken) = ([], 0) }  // gives the memory back
      guard readIsWithheld else { return nil }
      readIsWithheld = false
      return HTTPConnectionTurn(.read)
    }
    guard phase.takesInput else {
      if taken > 0 { waiting.removeFirst(taken) }
      taken = 0
      return nil
    }
    taken += 1
    return handle(waiting[taken - 1])
  }
}

// MARK: - What others ask

extension HTTPConnectionMachine {
  package var isPolling: Bool { if case .polling = phase { true } else { false } }
  package var isRouting: Bool { if case .routing = phase { true } else { false } }

  /// The response that leaves in parts.
  package var stream: ResponseStream? { if case .streaming(let stream) = phase { stream } else { nil } }

  /// Whether the head that is being looked at announces a body of more bytes than that.
  package func announcesMore(than limit: Int) -> Bool {
    if case .judging(let announced, _) = phase { announced.exceeds(limit) } else { false }
  }
}

extension HTTPConnectionMachine.Phase {
  /// Whether the next part of the connection's input can be looked at now.
  var takesInput: Bool {
    switch self {
    case .idle, .receiving, .draining: true
    case .judging, .serving, .polling, .routing, .streaming, .writing, .closed: false
    }
  }
}

// MARK: - Input

extension HTTPConnectionMachine {
  private mutating func received(_ part: HTTPServerRequestPart) -> HTTPConnectionTurn {
    hasPartSinceRead = true
    guard waiting.isEmpty, phase.takesInput else {
      guard waiting.count - taken < limits.pipelinedPartsMaximum else { return HTTPConnectionTurn(.close) }
      waiting.append(part)
      return .nothing
    }
    return handle(part)
  }

  private mutating func handle(_ part: HTTPServerRequestPart) -> HTTPConnectionTurn {
    switch (part, phase) {
    case (.head(let head), .idle): return received(head)
    case (.body(let bytes), .receiving(var body)):
      phase = .serving  // lets the buffer grow in place
      let fits = body.append(bytes)
      phase = .receiving(body)
      return fits ? .nothing : refuse(.bodyTooLarge(limit: body.bytesMaximum))
    case (.end, .receiving(let body)):
      phase = .serving
      return HTTPConnectionTurn(.cleared, .serve(body: body.bytes))
    case (.body(let bytes), .draining(let count)):
      let total = count + bytes.readableBytes
      phase = .draining(bytes: total)
      return total > limits.drainedBytesMaximum ? HTTPConnectionTurn(.close) : .nothing
    default: return .nothing  // the rest of a request that is being drained
    }
  }

  private mutating func received(_ head: HTTPRequestHead) -> HTTPConnectionTurn {
    hasPartialHead = false
    isHead = head.method == .HEAD
    isVersion11 = head.version == .http1_1
    // The parser stops behind a request that would like to change the protocol, so nothing can follow it.
    let asksForUpgrade = head.headers.contains(name: "upgrade") || head.method == .CONNECT
    if !head.isKeepAlive || !isVersion11 || asksForUpgrade { closesAfterResponse = true }
    phase = .judging(AnnouncedBody(head), HTTPExpectation(head.headers))
    return HTTPConnectionTurn(.judge(head))
  }

  private mutating func judged(_ verdict: HTTPHeadVerdict) -> HTTPConnectionTurn {
    guard case .judging(let announced, let expectation) = phase else { return .nothing }
    switch expectation {
    case .unknown: return refuse(.unknownExpectation)
    case .leave where verdict.isRefused: return refuse(.asJudged)
    case .leave, .none: break
    }
    phase = .receiving(IncomingBody(verdict))
    guard announced != .none else { return HTTPConnectionTurn(.cleared) }
    return HTTPConnectionTurn(.after(limits.bodyTimeout), expectation == .leave ? .writeContinue : nil)
  }

  private mutating func readCompleted(_ bytesRead: Int) -> HTTPConnectionTurn {
    defer { hasPartSinceRead = false }
    if case .receiving(let body) = phase {
      return body.hasExcess(limits, bytesRead: bytesRead) ? refuse(.excess) : .nothing
    }
    guard !hasPartSinceRead, !hasPartialHead else { return .nothing }
    hasPartialHead = true
    guard case .idle = phase, !isFresh else { return .nothing }
    return HTTPConnectionTurn(.after(limits.headTimeout))
  }

  /// Whoever holds a poll has left; a client of another request may only have said that this was its last, so that
  /// request gets a moment to be answered.
  private mutating func inputClosed() -> HTTPConnectionTurn {
    closesAfterResponse = true
    clientHasLeft = true
    switch phase {
    case .idle, .judging, .receiving, .serving, .draining, .closed, .polling(mayWait: true), .streaming:
      return HTTPConnectionTurn(.close)
    case .polling(mayWait: false), .routing: return HTTPConnectionTurn(.after(limits.departedClientGrace))
    case .writing: return .nothing
    }
  }

  private mutating func unreadable() -> HTTPConnectionTurn {
    switch phase {
    case .idle, .judging, .receiving: return refuse(.unreadable)
    case .serving, .polling, .routing, .streaming, .writing:
      // Garbage behind a good request: that one is still answered.
      (waiting, taken) = ([], 0)
      closesAfterResponse = true
      return .nothing
    case .draining, .closed: return .nothing
    }
  }

  /// Everything that waits is told.
  private mutating func ended() -> HTTPConnectionTurn {
    let interrupted = phase
    phase = .closed
    (waiting, taken) = ([], 0)
    if case .polling = interrupted { return HTTPConnectionTurn(.tellDeparture) }
    return HTTPConnectionTurn(.cancelWork)
  }
}

// MARK: - Output

extension HTTPConnectionMachine {
  private mutating func refuse(_ refusal: HTTPConnectionRefusal) -> HTTPConnectionTurn {
    refuses()
    return HTTPConnectionTurn(.refuse(refusal))
  }

  private mutating func refuses() {
    closesAfterResponse = true
    leavesRequestUnread = true
  }

  private mutating func partBegins() -> HTTPConnectionTurn {
    guard case .streaming(var stream) = phase else { return .nothing }
    stream.writesInFlight += 1
    phase = .streaming(stream)
    return HTTPConnectionTurn(.after(limits.writeTimeout))
  }

  private mutating func partWritten() -> HTTPConnectionTurn {
    guard case .streaming(var stream) = phase else { return .nothing }
    stream.writesInFlight -= 1
    phase = .streaming(stream)
    guard stream.writesInFlight == 0 else { return .nothing }
    return HTTPConnectionTurn(.after(stream.isEventStream ? limits.eventStreamHeartbeat : limits.responseTimeout))
  }

  private mutating func written(_ success: Bool) -> HTTPConnectionTurn {
    guard case .writing = phase else { return .nothing }
    guard success else { return HTTPConnectionTurn(.close) }
    if leavesRequestUnread {
      phase = .draining(bytes: 0)
      return HTTPConnectionTurn(.after(limits.drainTimeout), .closeOutput)
    }
    guard !closesAfterResponse else { return HTTPConnectionTurn(.close) }
    isFresh = false
    isHead = false
    phase = .idle
    return HTTPConnectionTurn(.after(hasPartialHead ? limits.headTimeout : limits.keepAliveTimeout), .forget)
  }

  private mutating func deadlinePassed(_ now: Int64) -> HTTPConnectionTurn {
    switch phase {
    case .idle: return hasPartialHead ? refuse(.slowHead) : HTTPConnectionTurn(.close)
    case .receiving(let body):
      let patience = body.patience(limits, now: now)
      return patience > .zero ? HTTPConnectionTurn(.after(patience)) : refuse(.slowBody)
    case .routing where !clientHasLeft:
      closesAfterResponse = true
      return HTTPConnectionTurn(.giveUp)
    case .streaming(let stream) where stream.isEventStream && stream.writesInFlight == 0:
      return HTTPConnectionTurn(.writeHeartbeat)
    case .judging, .serving, .polling, .routing, .streaming, .writing, .draining: return HTTPConnectionTurn(.close)
    case .closed: return .nothing
    }
  }
}
