import Engine
import EventSourcing
import Foundation
import GCMProtocol
import PushDomain
import SimulatedDisk
import SystemPackage

// A world's data directory, taken along.
extension World {
  /// Brings what no world does by itself, so that there are entities of every kind, and stops in the middle of handing
  /// out a message to a topic.
  func complete() {
    guard let life else { return }
    life.engine.options.replace(
      Options(sections: ["push": ["pushEnabled": "comet,\(SimulatedServices.pushType),fcm"]]))
    var order = SubscriptionOrder(subscriberID: "app-17", filter: "orders.*", type: "fcm", deviceID: "device-of-app-17")
    order.owner = "ann"
    let wanted = order
    ask("subscribe", in: life) {
      try await $0.notifications.subscribe(wanted)
    } then: { _ in
    }
    ask("store", in: life) {
      try await $0.storage.create([StorageUpload("a", .text("1"))], seconds: 86_400, owner: "ann")
    } then: { _ in
    }
    ask("sign in", in: life) {
      try await $0.console.open("session", tokenID: "token", name: "anna", role: "agent")
    } then: { _ in
    }
    ask("keep a reply", in: life) {
      try await $0.cannedReplies.add(
        CannedReplyDraft(shortcut: "hi", language: "de", text: "Hallo {{customer.firstName}}"), to: .own,
        by: CannedReplyHolder(name: "anna"))
    } then: { _ in
    }
    settle()
    var request = DownstreamRequest(target: .topic(SimulatedServices.topics[0]))
    request.data = [MailPair("n", "last")]
    let last = request
    ask("the last message", in: life) {
      try await $0.messaging.send(last, sender: SimulatedServices.senders[0])
    } then: { _ in
    }
    for _ in 0..<20 where livingKinds[.broadcast] == nil {
      SeededExecutor.run()
      commit()
      learn()
    }
  }

  /// Writes all files of the disk, as a kill at this moment would leave them, below `directory`.
  func keepDisk(in directory: String) throws {
    for path in disk.paths where !["LOCK", "MAINTENANCE", "next.preallocating"].contains(path.lastComponent?.string) {
      guard let bytes = disk.contents(of: path), let relative = path.string.wholeMatch(of: /\/data\/(.*)/)?.output.1
      else { continue }
      let file = URL(fileURLWithPath: directory).appendingPathComponent(String(relative))
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    }
  }

  /// How many entities of each kind the durable records leave.
  var livingKinds: [EntityKind: Int] {
    Dictionary(reference.states.bytes.keys.map { ($0.kind, 1) }, uniquingKeysWith: +)
  }
}
