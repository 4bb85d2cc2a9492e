import BenchReport
import CarillonClient

/// The chat at its maximum with the tree and without it, in turn, on a server and a journal of its own each time.
struct BesideRun {
  private static let shareMinimum = 0.97
  private static let secondsBehindMaximum = 1.0
  private static let chats = 1_000
  private static let window = 512

  let rounds: Int
  let seconds: Int

  func measure() async throws -> [Measurement] {
    var (with, without): ([Double], [Double]) = ([], [])
    var behind = 0.0
    for round in 1...rounds {
      // Whatever the machine does, both have had it.
      for keepsTree in round.isMultiple(of: 2) ? [true, false] : [false, true] {
        Terminal.note("evidence: the chat \(keepsTree ? "with" : "without") the tree, \(round) of \(rounds)")
        let (rate, lag) = try await maximum(keepsTree: keepsTree)
        if keepsTree {
          with.append(rate)
          behind = max(behind, lag)
        } else {
          without.append(rate)
        }
      }
    }
    let share = median(with) / median(without)
    let settings = "\(Self.chats) chats over long polling at the maximum, medians of \(rounds), in turn"
    return [
      Measurement(
        "evidence.beside.share", share, "of the rate without",
        settings: PushGoal.atLeast(Self.shareMinimum, share) + ", \(settings)"),
      Measurement(
        "evidence.beside.behind", behind, "s",
        settings: PushGoal.atMost(Self.secondsBehindMaximum, behind) + ", the tree at its farthest, \(settings)"),
    ]
  }

  private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  /// - Returns: messages a second, and for how long a record was missing in the tree, at most, in seconds.
  private func maximum(keepsTree: Bool) async throws -> (rate: Double, behind: Double) {
    let server = try await BenchServer(in: try WorkDirectory(), options: ["journal.tree: \(keepsTree)"])
    return try await server.measuring {
      try await server.waitUntilReady()
      let settings = ChatLoad.Settings(
        address: server.address, agentToken: server.agentToken, customers: Self.chats)
      return try await ChatLoad.warmed(settings, window: Self.window) { load in
        let watching = Task { try await farthest(server) }
        let result = try await load.run(.closed(window: Self.window), for: .seconds(seconds))
        watching.cancel()
        return (result.perSecond, keepsTree ? try await watching.value : 0)
      }
    }
  }

  /// Looks twice a second until it is cancelled.
  private func farthest(_ server: BenchServer) async throws -> Double {
    let pool = HTTPPool(server.address)
    defer { pool.shutDown() }
    var farthest = 0.0
    while (try? await Task.sleep(for: .milliseconds(500))) != nil {
      guard
        let answer = try? await pool.response(to: HTTPRequest(.get, "/metrics"), timeout: Limits.requestTimeout)
      else { continue }
      for line in String(decoding: answer.bodyBytes, as: UTF8.self).split(separator: "\n")
      where line.hasPrefix("carillon_journal_tree_seconds_behind ") {
        farthest = max(farthest, line.split(separator: " ").last.flatMap { Double($0) } ?? 0)
      }
    }
    return farthest
  }
}
