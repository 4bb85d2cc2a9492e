import EventSourcing
import GCMProtocol
import MessagingEngine
import PushDomain
import Testing

@testable import Engine
@testable import EngineRigs

@Suite("A message that is posted, not waited for", .timeLimit(.minutes(1)))
struct PostingTests {
  @Test("to one device is told of once it is durable, and waits there under the id that was told, also after a restart")
  func underWay() async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device()
    var ids: [String] = []
    for target in [DownstreamTarget.recipient(device.token), .tokens([device.token])] {
      let (answers, feed) = AsyncStream.makeStream(of: DownstreamAnswer?.self)
      let posting = await rig.messaging.post(DownstreamRequest(target: target), sender: MessagingRig.sender) {
        feed.yield(try? $0.get())
      }
      guard case .underWay = posting else { throw RigFailure(text: "not under way") }
      var iterator = answers.makeAsyncIterator()
      guard case .targets(let results)?? = await iterator.next(), case .accepted(let id, nil)? = results.first else {
        throw RigFailure(text: "not accepted")
      }
      ids.append(id)
    }
    #expect(await rig.pending(device) == ids)
    let second = try await rig.restarted()
    #expect(await second.pending(device) == ids)
    try await second.stop()
  }

  @Test("for nobody in particular, or not to be stored, is left to whoever has the time")
  func takesLonger() async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device()
    var trial = DownstreamRequest(target: .recipient(device.token))
    trial.isDryRun = true
    var fleeting = DownstreamRequest(target: .recipient(device.token))
    fleeting.timeToLive = 0
    let others = [
      trial, fleeting, DownstreamRequest(target: .topic("news")), DownstreamRequest(target: .recipient("nobody")),
      DownstreamRequest(target: .tokens([device.token, device.token])),
      DownstreamRequest(target: .recipient(try await rig.appleToken())),
    ]
    for request in others {
      let posting = await rig.messaging.post(request, sender: MessagingRig.sender) { _ in
        Issue.record("nothing was posted")
      }
      guard case .takesLonger(let rest) = posting else { throw RigFailure(text: "\(request.target) was not left") }
      #expect((try? await rest().get()) != nil, "\(request.target)")
    }
    try await rig.settle()
    try await rig.stop()
  }

  @Test("from another's key is refused at once, and stored for nobody")
  func refused() async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device()
    let posting = await rig.messaging.post(DownstreamRequest(target: .recipient(device.token)), sender: "99") { _ in
      Issue.record("nothing was posted")
    }
    guard case .settled(let result) = posting else { throw RigFailure(text: "not settled") }
    #expect(try result.get() == .targets([.failed(.mismatchSenderID)]))
    #expect(await rig.pending(device).isEmpty)
    try await rig.stop()
  }

  @Test("to a token that was proved before is refused once its registration has ended, and so is one like it")
  func proven() async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device()
    for _ in 1...2 { try await rig.send(to: device.token) }
    // Not its last letter, of which only two bits count.
    var forged = Array(device.token)
    forged[forged.count - 3] = forged[forged.count - 3] == "A" ? "B" : "A"
    #expect(try await rig.result(to: String(forged)) == .failed(.invalidRegistration))
    try await rig.installations.unregister(app: MessagingRig.app, subtype: nil, senders: [], device.credentials)
    #expect(try await rig.result(to: device.token) == .failed(.notRegistered))
    let form = RegistrationForm(app: MessagingRig.app, senders: [MessagingRig.sender], platform: "ANDROID")
    let fresh = try await rig.installations.register(form, device.credentials)
    #expect(fresh != device.token)
    #expect(try await rig.result(to: device.token) == .failed(.notRegistered))
    try await rig.send(to: fresh)
    try await rig.stop()
  }
}
