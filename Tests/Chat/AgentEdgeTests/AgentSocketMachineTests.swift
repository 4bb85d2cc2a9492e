import ChatAPI
import HTTPKit
import JSONEnvelope
import Testing

@testable import AgentEdge

@Suite("An agent's socket")
struct AgentSocketMachineTests {
  private static let ok = Array(#"{"position":3}"#.utf8)

  /// A machine in a test's hands, at a time that the test says.
  private struct Socket {
    var machine: AgentSocketMachine
    var now: Int64 = 1_000

    init(isKnown: Bool = true, _ configure: (inout AgentSocketLimits) -> Void = { _ in }) {
      var limits = AgentSocketLimits()
      configure(&limits)
      machine = AgentSocketMachine(acts: ["send": true, "typing": true, "me": false], limits, of: EdgeLimits())
      _ = machine.received(.opened(isKnown: isKnown), now: now)
    }

    mutating func tell(_ input: AgentSocketInput) -> [AgentSocketAction] { machine.received(input, now: now) }

    mutating func say(_ text: String) -> [AgentSocketAction] { tell(.text(Array(text.utf8))) }

    /// A message of a chat; tells the ids of those that are begun.
    mutating func send(_ id: String, in chat: String) -> [String] {
      say(#"{"id":"\#(id)","do":"send","chat":"\#(chat)","text":"x"}"#).begun
    }

    mutating func answer(_ id: String) -> [AgentSocketAction] {
      tell(.answered(id: id, .success(AgentSocketMachineTests.ok)))
    }
  }

  // MARK: Requests

  @Test("what is asked for is begun, and its answer names it")
  func answered() throws {
    var socket = Socket()
    let actions = socket.say(#"{"id":"7","do":"send","chat":"c","text":"Hello"}"#)
    guard case .perform(let request) = try #require(actions.first) else { throw Unexpected(actions) }
    #expect(actions.count == 1 && request.word == "send" && request.chat == "c")
    #expect(try request.body.text("text") == "Hello")
    #expect(socket.answer("7").said == [#"{"id":"7","ok":{"position":3}}"#])
  }

  @Test("a refusal is what the route answers, with its status and how long to wait")
  func refused() {
    var socket = Socket()
    #expect(socket.send("7", in: "c") == ["7"])
    let failure = EdgeFailure.unavailable("The server is not ready")
    let body = String(decoding: failure.body, as: UTF8.self)
    #expect(
      socket.tell(.answered(id: "7", .failure(failure))).said
        == [#"{"id":"7","status":503,"error":\#(body),"retryAfter":5}"#])
  }

  @Test(
    "what is no request is refused with the reason, and the socket stays",
    arguments: [
      ("[", nil, "The body is not a JSON object: "), ("[]", nil, "The body is not a JSON object"),
      ("", nil, "Mandatory parameter 'id' is missing"), (#"{"do":"me"}"#, nil, "Mandatory parameter 'id' is missing"),
      (#"{"id":7,"do":"me"}"#, nil, "Parameter 'id' is not a string"),
      (#"{"id":"12345","do":"me"}"#, nil, "Parameter 'id' is longer than 4 bytes"),
      (#"{"id":"1"}"#, "1", "Mandatory parameter 'do' is missing"),
      (#"{"id":"1","do":"sing"}"#, "1", "Parameter 'do' is not one of me, send, typing"),
      (#"{"id":"1","do":"login","token":"x"}"#, "1", "Parameter 'do' is not one of me, send, typing"),
      (#"{"id":"1","do":"send","text":"x"}"#, "1", "Mandatory parameter 'chat' is missing"),
      (#"{"id":"1","do":"send","chat":7}"#, "1", "Parameter 'chat' is not a string"),
      (
        String(repeating: #"{"a":"#, count: 17) + "1" + String(repeating: "}", count: 17), nil, "The body is not a JSON"
      ),
    ] as [(String, String?, String)])
  func flawed(_ text: String, _ id: String?, _ message: String) throws {
    var socket = Socket { $0.idBytesMaximum = 4 }
    let said = socket.say(text).said
    #expect(said.count == 1)
    let answer = try JSONValue(parsing: try #require(said.first))
    #expect(answer["id"] == (id.map { .string($0) } ?? .null))
    #expect(answer["status"] == 400 && answer["error"]?["code"] == 400)
    #expect(answer["error"]?["message"]?.string?.hasPrefix(message) == true, "\(answer)")
    #expect(socket.send("2", in: "c") == ["2"])
  }

  @Test("requests of one chat are done in their order, those of others beside them")
  func order() {
    var socket = Socket()
    #expect(socket.send("a1", in: "a") == ["a1"])
    #expect(socket.send("a2", in: "a") == [])
    #expect(socket.send("a3", in: "a") == [])
    #expect(socket.send("b1", in: "b") == ["b1"])
    #expect(socket.say(#"{"id":"me","do":"me"}"#).begun == ["me"])
    #expect(socket.answer("b1").begun == [])
    #expect(socket.answer("a1").begun == ["a2"])
    // A refusal lets the next one go, too.
    #expect(socket.tell(.answered(id: "a2", .failure(.notFound))).begun == ["a3"])
  }

  @Test("so many are not answered at once; then nothing more is read until one is")
  func bound() {
    var socket = Socket { $0.requestsMaximum = 2 }
    #expect(socket.send("1", in: "a") == ["1"] && socket.machine.takesInput)
    #expect(socket.send("2", in: "b") == ["2"] && !socket.machine.takesInput)
    // What was read with it is not lost, and not begun either.
    #expect(socket.send("3", in: "c") == [])
    #expect(socket.answer("1").begun == ["3"] && !socket.machine.takesInput)
    #expect(socket.answer("2").begun == [] && socket.machine.takesInput)
  }

  // MARK: Repetitions

  @Test("one that comes again gets the same answer, and is not done again")
  func repeated() {
    var socket = Socket()
    #expect(socket.send("1", in: "a") == ["1"])
    // Before its answer.
    #expect(socket.send("1", in: "a") == [])
    let answer = #"{"id":"1","ok":{"position":3}}"#
    let both = socket.answer("1")
    #expect(both.said == [answer, answer] && both.begun == [])
    // After it, in another order.
    #expect(socket.say(#"{"text":"x","chat":"a","do":"send","id":"1"}"#) == [.write(Array(answer.utf8))])
  }

  @Test("another one of the same id is refused, while the first is under way and after it")
  func another() throws {
    var socket = Socket()
    #expect(socket.send("1", in: "a") == ["1"])
    for chat in ["b", "b"] {
      let said = socket.say(#"{"id":"1","do":"send","chat":"\#(chat)","text":"x"}"#).said
      let answer = try JSONValue(parsing: try #require(said.first))
      #expect(answer["status"] == 409 && answer["error"]?["exception"] == "RepeatedIDException")
      #expect(socket.machine.takesInput)
      _ = socket.answer("1")
    }
  }

  @Test("after a refusal nothing has happened: the next one of its id is done")
  func again() {
    var socket = Socket()
    #expect(socket.send("1", in: "a") == ["1"])
    _ = socket.tell(.answered(id: "1", .failure(.notFound)))
    #expect(socket.send("1", in: "a") == ["1"])
  }

  @Test("only so many answers are kept, the newest ones")
  func kept() {
    var socket = Socket { $0.answersKeptMaximum = 2 }
    for id in ["1", "2", "3"] {
      #expect(socket.send(id, in: "a") == [id])
      _ = socket.answer(id)
    }
    #expect(socket.send("2", in: "a") == [] && socket.send("3", in: "a") == [])
    #expect(socket.send("1", in: "a") == ["1"])
  }

  // MARK: Who it is

  @Test("without a token nothing is done, and a login is the first thing that is")
  func login() throws {
    var socket = Socket(isKnown: false)
    let said = socket.say(#"{"id":"1","do":"me"}"#).said
    #expect(try JSONValue(parsing: try #require(said.first))["status"] == 401)
    #expect(!socket.machine.takesEvents)
    let actions = socket.say(#"{"id":"2","do":"login","token":"car_x"}"#)
    guard case .logIn(let request) = try #require(actions.first) else { throw Unexpected(actions) }
    let admitted = socket.tell(.admitted(request))
    #expect(admitted == [.follow, .perform(request)] && socket.machine.takesEvents)
    #expect(socket.answer("2").said == [#"{"id":"2","ok":{"position":3}}"#])
  }

  @Test("a login that is refused ends it")
  func refusedLogin() throws {
    var socket = Socket(isKnown: false)
    guard case .logIn(let request)? = socket.say(#"{"id":"2","do":"login","token":"x"}"#).first else {
      throw Unexpected([])
    }
    let actions = socket.tell(.refused(request, .forbidden("no")))
    #expect(actions.said.first?.contains(#""status":403"#) == true && actions.last == .close(.policyViolation))
    #expect(socket.say(#"{"id":"3","do":"login","token":"y"}"#) == [])
  }

  @Test("whoever does not log in is sent away in time")
  func loginTimeout() {
    var socket = Socket(isKnown: false)
    socket.now += 9_999
    #expect(socket.tell(.checked(isGood: false)) == [])
    socket.now += 1
    let actions = socket.tell(.checked(isGood: false))
    #expect(actions.said.first?.contains(#""status":401"#) == true && actions.last == .close(.policyViolation))
  }

  @Test("a token that is not good any more ends it: by the look at it, and by a request")
  func revoked() {
    var looked = Socket()
    #expect(looked.tell(.checked(isGood: true)) == [])
    var asked = Socket()
    _ = asked.send("1", in: "a")
    for actions in [looked.tell(.checked(isGood: false)), asked.tell(.answered(id: "1", .failure(.tokenRequired)))] {
      #expect(actions.said.first?.contains("A valid access token is required") == true)
      #expect(actions.last == .close(.policyViolation))
    }
    #expect(!looked.machine.takesEvents && asked.send("2", in: "a") == [])
  }

  // MARK: The end

  @Test("when the server stops, what is under way is answered first, and what waits is refused")
  func stop() {
    var idle = Socket()
    #expect(idle.tell(.serverStops) == [.close(.goingAway)])
    var busy = Socket()
    #expect(busy.send("1", in: "a") == ["1"] && busy.send("2", in: "a") == [])
    let refusals = busy.tell(.serverStops).said
    #expect(refusals.count == 1 && refusals[0].contains(#""id":"2","status":503"#))
    #expect(busy.say(#"{"id":"3","do":"me"}"#).said.first?.contains(#""status":503"#) == true)
    let last = busy.answer("1")
    #expect(last.said == [#"{"id":"1","ok":{"position":3}}"#] && last.last == .close(.goingAway))
    var anonymous = Socket(isKnown: false)
    #expect(anonymous.tell(.serverStops) == [.close(.goingAway)])
  }

  @Test("when no more events come, the client is to come again; a server that stops has said so itself")
  func eventsEnded() {
    var socket = Socket()
    #expect(socket.tell(.eventsEnded) == [.close(.goingAway)])
    var leaving = Socket()
    _ = leaving.send("1", in: "a")
    #expect(leaving.tell(.serverStops) == [] && leaving.tell(.eventsEnded) == [])
  }

  @Test("a silent client is pinged, and cut if it stays silent; one that is not read from is not silent")
  func silence() {
    var socket = Socket()
    socket.now += 30_000
    #expect(socket.tell(.checked(isGood: true)) == [.ping])
    #expect(socket.tell(.checked(isGood: true)) == [])
    socket.machine.heard(now: socket.now)
    socket.now += 30_000
    #expect(socket.tell(.checked(isGood: true)) == [.ping])
    socket.now += 30_000
    #expect(socket.tell(.checked(isGood: true)) == [.cut] && socket.machine.isEnded)
    var withheld = Socket { $0.requestsMaximum = 1 }
    #expect(withheld.send("1", in: "a") == ["1"])
    withheld.now += 90_000
    #expect(withheld.tell(.checked(isGood: true)) == [])
  }

  @Test("behind our close frame only the client's counts, for five seconds")
  func closing() {
    var socket = Socket()
    _ = socket.send("1", in: "a")
    #expect(socket.tell(.violated(.unacceptableData)) == [.close(.unacceptableData)])
    #expect(socket.tell(.violated(.protocolError)) == [] && socket.answer("1") == [] && socket.say("[") == [])
    socket.now += 4_999
    #expect(socket.tell(.checked(isGood: true)) == [])
    var answered = socket
    #expect(answered.tell(.peerCloses) == [.cut])
    socket.now += 1
    #expect(socket.tell(.checked(isGood: true)) == [.cut])
  }

  @Test("the client's close is answered, and nothing comes behind that")
  func peerCloses() {
    var socket = Socket()
    _ = socket.send("1", in: "a")
    #expect(socket.tell(.peerCloses) == [.answerClose])
    #expect(socket.answer("1") == [] && socket.tell(.serverStops) == [])
  }

  @Test("text that is not UTF-8 closes with the code for it")
  func invalidText() {
    var socket = Socket()
    #expect(socket.tell(.text([0x7B, 0xFF, 0x7D])) == [.close(.invalidText)])
  }
}

private struct Unexpected: Error {
  let actions: [AgentSocketAction]

  init(_ actions: [AgentSocketAction]) { self.actions = actions }
}

extension [AgentSocketAction] {
  fileprivate var said: [String] {
    compactMap { if case .write(let message) = $0 { String(decoding: message, as: UTF8.self) } else { nil } }
  }

  /// The ids of requests that are begun.
  fileprivate var begun: [String] {
    compactMap { if case .perform(let request) = $0 { request.id } else { nil } }
  }
}
