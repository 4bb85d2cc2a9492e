import Bayeux
import Engine
import JSONEnvelope

/// The Comet half of a customer's app: one session at a time, over long polling or a socket, on a bad network.
///
/// Safe to share: the whole simulation is one thread.
final class CometClient: @unchecked Sendable {
  unowned let world: World
  let userKey: String
  private(set) var clientID: String?
  private(set) var isSubscribed = false
  /// A connect of this session was answered.
  private(set) var isConnected = false
  var transport = ConnectionType.longPolling
  private var acknowledges = false
  private var lastBatch = 0
  /// Requests without an answer, and the open socket.
  private(set) var wires: [Wire] = []
  /// Written by the server, not here yet, in the order of writing.
  private(set) var inFlight: [InFlight] = []
  /// The last position that this session brought of each chat, and in which life of the server.
  private var brought: [String: (position: Int, life: Int)] = [:]
  private var nextID = 0
  /// When the server last had a reason to think of it.
  private var lastActivity: Int64 = 0
  /// All its requests came to a regular end: the server's clock and ours run alike.
  private var isCalm = false
  /// The app does not run; its system keeps its sockets until it runs again.
  private(set) var isFrozen = false
  /// It says what it has whenever it shakes hands or connects.
  private(set) var statesPositions = false
  /// It has lost something that only its word can bring back.
  private(set) var mustState = false
  /// Something was lost that the server sends again, perhaps with what had come.
  private var mayRepeat = false
  /// It has lost an answer, and the server has not answered a connect since, which would have shown it.
  private var hasUnshownLoss = false
  /// It has given a connect of this session up, or lost its answer.
  private var hasLostConnect = false
  /// What it says it has; nil if one position cannot speak for its chats.
  var position: () -> Int? = { nil }
  /// It lost an answer, and the server died before it could be told: two faults at once. Nothing but acknowledgments and
  /// positions helps against that.
  var lostTwice: () -> Void = {}
  /// It has been silent for longer than any session may be.
  private(set) var mustBeOver = false

  struct InFlight {
    let wire: Wire
    let messages: [ClientMessage]
  }

  init(world: World, userKey: String) {
    self.world = world
    self.userKey = userKey
  }

  /// A poll is held, or a socket is open, and everything that was written has come.
  var isOnline: Bool {
    clientID != nil && !isFrozen && isSubscribed && isConnected && inFlight.isEmpty
      && wires.contains { $0.isConnect && !$0.isClosed }
  }

  /// To the server the session has connected, though no answer to a connect has come: the one that it waits for is held like
  /// any later one, until something comes or its time is over. Spec: GMS 4.3.
  var mayBeHeld: Bool { !isConnected && hasLostConnect && isWaiting(for: "connect") }

  var description: String { "\(userKey) (\(clientID?.prefix(4) ?? "–"))" }

  // MARK: What the app does

  /// The next step of a client that does everything right.
  func proceed() {
    guard !isFrozen else { return }
    guard clientID != nil else { return shakeHands() }
    if !isSubscribed, !isWaiting(for: "subscribe") {
      let together = world.chance.comes(30) && !isWaiting(for: "connect")
      return request(together ? [subscribeMessage, connectMessage] : [subscribeMessage], isConnect: together)
    }
    guard !isWaiting(for: "connect") else { return }
    request([connectMessage], isConnect: true)
  }

  func shakeHands() {
    guard !isWaiting(for: "handshake") else { return }
    abandon()
    acknowledges = world.chance.comes(20)
    statesPositions = world.chance.comes(40)
    let ext = ext(acknowledges ? #""ack":true"# : nil)
    request(
      [
        #"{"channel":"/meta/handshake","version":"1.0","#
          + #""supportedConnectionTypes":["websocket","long-polling"],"id":"\#(id())"\#(ext)}"#
      ], isConnect: false)
  }

  /// The same request again, while the first is under way. Not with the acknowledgment extension: the older number in
  /// it would ask for what is on its way once more.
  func repeatConnect() {
    guard clientID != nil, !acknowledges else { return }
    request([connectMessage], isConnect: true)
  }

  func unsubscribe() {
    guard let clientID, isSubscribed else { return }
    isSubscribed = false
    request(
      [#"{"channel":"/meta/unsubscribe","clientId":"\#(clientID)","subscription":"/_genesys","id":"\#(id())"}"#],
      isConnect: false)
  }

  /// - Parameter position: what the app says it has; nil says nothing.
  func disconnect(position: Int?) {
    guard let clientID else { return }
    let ext = position.map { #","ext":{"transcriptPosition":"\#($0)"}"# } ?? ""
    request([#"{"channel":"/meta/disconnect","clientId":"\#(clientID)","id":"\#(id())"\#(ext)}"#], isConnect: false)
  }

  /// A connect with a clientId that may be long over: an app that was frozen.
  func publish() {
    guard let clientID else { return }
    request([#"{"channel":"/chat/1","clientId":"\#(clientID)","data":{},"id":"\#(id())"}"#], isConnect: false)
  }

  /// The app stops running, with whatever it holds.
  func freeze() {
    guard clientID != nil, !isFrozen else { return }
    world.trace.note("\(description) freezes")
    isFrozen = true
    isCalm = false
  }

  /// It runs again: its sockets are gone, and with them what nobody has read.
  func thaw() {
    guard isFrozen else { return }
    while !inFlight.isEmpty { arrive() }
    isFrozen = false
    world.trace.note("\(description) runs again")
    vanish()
  }

  /// What was written first is acknowledged by a machine on the way, and never comes. Without a kernel that notices, only
  /// an app that states positions can tell.
  func loseAfterTheWrite() {
    guard !inFlight.isEmpty, !isFrozen else { return }
    let isNoticed = position() == nil || world.chance.comes(60)
    if !isNoticed { mustState = true }
    loseUnread(isNoticed: isNoticed)
  }

  private func loseUnread(isNoticed: Bool) {
    let one = inFlight.removeFirst()
    world.trace.note("\(description) never reads a response\(isNoticed ? "" : ", which nobody notices")")
    isCalm = false
    mayRepeat = true
    hasUnshownLoss = !acknowledges
    lastActivity = world.time.monotonicMilliseconds
    leave(one.wire)
    wires.removeAll { $0 === one.wire }
    one.wire.wasLost(isNoticed: isNoticed)
    guard one.wire.transport == .webSocket else { return }
    // Nothing overtakes on one connection.
    while let index = inFlight.firstIndex(where: { $0.wire === one.wire }) {
      inFlight.remove(at: index)
      one.wire.wasLost(isNoticed: isNoticed)
    }
    one.wire.close()
  }

  /// Gone without a word: sockets close, what was on its way is lost.
  func vanish() {
    lose()
    for wire in wires {
      leave(wire)
      wire.close()
    }
    wires = []
    isCalm = false
  }

  /// No answer comes over it any more.
  private func leave(_ wire: Wire) {
    if wire.isConnect { hasLostConnect = true }
  }

  /// Forgets the session: the app was killed.
  func abandon() {
    vanish()
    endSession()
  }

  private func endSession() {
    clientID = nil
    isSubscribed = false
    isConnected = false
    brought = [:]
    lastBatch = 0
    mustBeOver = false
    mayRepeat = false
    hasUnshownLoss = false
    hasLostConnect = false
  }

  /// The server's process is another now: no connection outlives it, but the session does.
  func serverDied() {
    if hasUnshownLoss {
      hasUnshownLoss = false
      mustState = true
      if position() == nil { lostTwice() }
    }
    inFlight = []
    wires = []
    isConnected = false
    hasLostConnect = false
    isCalm = false
    mustBeOver = false
    isFrozen = false
  }

  // MARK: Requests

  private func id() -> Int {
    nextID += 1
    return nextID
  }

  private var subscribeMessage: String {
    #"{"channel":"/meta/subscribe","clientId":"\#(clientID ?? "")","subscription":"/_genesys","id":"\#(id())"}"#
  }

  private var connectMessage: String {
    let ext = ext(acknowledges ? #""ack":\#(lastBatch)"# : nil)
    let advice = world.chance.comes(8) ? #","advice":{"timeout":0}"# : ""
    return #"{"channel":"/meta/connect","clientId":"\#(clientID ?? "")","#
      + #""connectionType":"\#(transport.rawValue)","id":"\#(id())"\#(ext)\#(advice)}"#
  }

  /// The `ext` of a handshake or connect.
  private func ext(_ ack: String?) -> String {
    let position = statesPositions || mustState ? position().map { #""transcriptPosition":"\#($0)""# } : nil
    let members = [ack, position].compactMap { $0 }
    return members.isEmpty ? "" : #","ext":{"# + members.joined(separator: ",") + "}"
  }

  private func isWaiting(for word: String) -> Bool { wires.contains { !$0.isClosed && $0.awaits.contains(word) } }

  private func request(_ messages: [String], isConnect: Bool) {
    guard let life = world.life, life.isReady, !life.isStopping else { return }
    let text = "[" + messages.joined(separator: ",") + "]"
    world.trace.note("\(description) sends \(text)")
    // Whoever polls has given its socket up.
    if transport == .longPolling { closeSockets() }
    let wire: Wire
    if transport == .webSocket, let socket = wires.first(where: { $0.transport == .webSocket && !$0.isClosed }) {
      wire = socket
    } else {
      wire = Wire(client: self, life: life, transport: transport)
      wires.append(wire)
    }
    for word in ["handshake", "subscribe", "connect", "disconnect"] where text.contains("/meta/\(word)\"") {
      wire.awaits.insert(word)
    }
    if isConnect { wire.isConnect = true }
    lastActivity = world.time.monotonicMilliseconds
    wire.send(text)
  }

  // MARK: The network

  private func closeSockets() {
    guard wires.contains(where: { $0.transport == .webSocket }) else { return }
    lose()
    for wire in wires where wire.transport == .webSocket {
      leave(wire)
      wire.close()
    }
    wires.removeAll { $0.transport == .webSocket }
    isCalm = false
  }

  func wrote(_ messages: [ClientMessage], to wire: Wire) { inFlight.append(InFlight(wire: wire, messages: messages)) }

  /// What was written first arrives.
  func arrive() {
    guard !inFlight.isEmpty else { return }
    guard !isFrozen else { return loseUnread(isNoticed: true) }
    let one = inFlight.removeFirst()
    lastActivity = world.time.monotonicMilliseconds
    if one.wire.transport == .longPolling { wires.removeAll { $0 === one.wire } }
    one.wire.wasWritten(success: true)
    for message in one.messages { take(message, from: one.wire) }
    if wires.isEmpty, inFlight.isEmpty, transport == .longPolling { isCalm = isConnected }
  }

  /// What is on its way is lost, all of it: nothing overtakes on one connection.
  func lose() {
    if inFlight.isEmpty { return }
    world.trace.note("\(description) loses \(inFlight.count) responses")
    isCalm = false
    lastActivity = world.time.monotonicMilliseconds
    let lost = inFlight
    inFlight = []
    for one in lost {
      leave(one.wire)
      one.wire.wasWritten(success: false)
      if one.wire.transport == .webSocket { one.wire.close() }
      wires.removeAll { $0 === one.wire }
    }
    // Without the extension nothing but the failed write tells the server what was lost: it learns of it before the
    // client comes again. (A server that learns of it later sends in the wrong order; only acknowledgments help there.)
    if !acknowledges { SeededExecutor.run() }
  }

  /// The server had no time to notice its silence yet.
  func isNotForgottenYet() { lastActivity = world.time.monotonicMilliseconds }

  /// Time has passed and every timer has fired: notes whether the session must be over by now.
  func noteSilence() {
    guard clientID != nil, isCalm, !isFrozen, wires.isEmpty, inFlight.isEmpty else { return }
    if world.time.monotonicMilliseconds - lastActivity > World.sessionGraceMilliseconds { mustBeOver = true }
  }

  // MARK: Answers

  private func take(_ message: ClientMessage, from wire: Wire) {
    switch message {
    case .handshake(let id):
      wire.awaits.remove("handshake")
      guard let id else { return }
      endSession()
      clientID = id
    case .subscribed(let successful):
      wire.awaits.remove("subscribe")
      if successful { isSubscribed = true }
    case .connected(let successful, let batch):
      wire.awaits.remove("connect")
      wire.isConnect = false
      if let batch { lastBatch = max(lastBatch, batch) }
      if successful {
        isConnected = true
        hasUnshownLoss = false
        if mustBeOver { world.violated(.deadSessionsGetNothing, "\(description) is served after its time") }
      } else {
        endSession()
      }
    case .disconnected:
      wire.awaits.remove("disconnect")
      endSession()
      abandon()
    case .refused(let channel):
      wire.awaits.remove(channel)
      if channel == "connect" { wire.isConnect = false }
      if channel != "publish" { endSession() }
    case .event(let event):
      take(event)
    }
  }

  private func take(_ event: ChatNews) {
    let life = world.life?.number ?? 0
    if mustBeOver { world.violated(.deadSessionsGetNothing, "\(description) gets an event after its time") }
    // A server that was killed may have brought all of it before: what counts is what this one has.
    let before = brought[event.serviceID].flatMap { $0.life == life ? $0.position : nil } ?? 0
    if event.first <= before, !mayRepeat {
      world.violated(
        .inOrderWithoutGaps,
        "\(description) gets \(event.first)...\(event.last) of \(event.serviceID) after \(before)")
    }
    brought[event.serviceID] = (max(event.last, before), life)
    world.book(of: event.serviceID)?.receives(event, by: self)
  }
}
