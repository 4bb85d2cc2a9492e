import Bayeux
import JSONEnvelope
import ScriptedClients
import TestSupport
import Testing

@testable import Engine
@testable import EngineRigs

/// What a Comet session costs once it is over: nothing. Each kind runs in a process of its own, where nobody else
/// allocates, and the bytes in use are read from the allocator.
@Suite("Sessions that end, in great number", .timeLimit(.minutes(10)))
struct SessionDepartureTests {
  @Test("of whoever follows support requests, and says goodbye")
  func farewell() async {
    await #expect(processExitsWith: .success) {
      try await SessionDepartures.run("follower who says goodbye") { rig, client in
        _ = try await client.ask(#"[{"channel":"/meta/disconnect","clientId":"$ID"}]"#)
        try await rig.support.settle()
      }
    }
  }

  @Test("of whoever follows support requests, and does not come back")
  func silence() async {
    await #expect(processExitsWith: .success) {
      try await SessionDepartures.run("follower who does not come back") { rig, client in
        // Its time begins once the last answer was written, which nobody tells.
        for _ in 0..<10 where rig.support.engine.comet.directory[client.clientID ?? ""] != nil {
          try await rig.advance(by: .seconds(60))
        }
      }
    }
  }
}

enum SessionDepartures {
  /// - Parameter end: how the session of a client ends.
  static func run(_ kind: String, end: (StreamRig, ScriptedClient) async throws -> Void) async throws {
    let rig = try await StreamRig()
    let directory = rig.support.engine.comet.directory
    try await Departing.measureCostly(kind) { count in
      for _ in 0..<count {
        let client = rig.client(token: rig.token)
        try await client.handshake()
        let answer = try await rig.subscribe(client, ["/support/requests/1", "/support/requests/*"])
        guard answer["successful"] == true else { throw Departing.Leak("not served any more: \(answer)") }
        try await end(rig, client)
        let id = client.clientID ?? ""
        try await Departing.until { directory[id] == nil }
      }
    }
    try await rig.stop()
  }
}
