import BenchReport
import CarillonClient
import Glibc

/// Messages from one to one, or from one to many, through Carillon and through nchan, over one and the same generator.
struct ConversationContest: Sendable {
  let customers: Int
  let window: Int
  let lanes: Int
  let seconds: Int
  let nginxWorkers: Int
  let link: ChatLoad.Link
  let reachesAll: Bool

  private static let nchan = "nginx + nchan"
  private static let nchanWithRedis = "nginx + nchan + Redis"

  func make() -> Contest {
    let entrants = [
      Contest.Entrant("Carillon", carillon), Contest.Entrant(Self.nchan, { try await nchan(withRedis: false) }),
      Contest.Entrant(Self.nchanWithRedis, { try await nchan(withRedis: true) }),
    ]
    let key = (reachesAll ? "fanout" : "chat") + (link == .webSocket ? ".websocket" : "")
    let title = (reachesAll ? "Fan-out of one message to \(customers)" : "Chat, one to one") + ", \(link.rawValue)"
    return Contest(
      PeerSheet(
        key, title: title, about: about, columns: ConversationRun.columns,
        rows: entrants.map { PeerSheet.Row($0.name) }), entrants)
  }

  private var about: String {
    let way =
      link == .longPolling
      ? "each customer polls again as soon as an answer is there" : "each customer holds a WebSocket"
    let work =
      reachesAll
      ? """
      One publisher, \(customers) hearers, \(way); a delivery counts for each hearer, and fewer than \(window) are \
      outstanding whenever the next message goes out. In Carillon a chat has at most 32 sessions; what reaches more is a \
      notification: `POST /genesys/1/notification/publish` to one subscription of the type `comet`, whose user has all \
      \(customers) sessions (`limits.sessions_by_user`). The subscription's event and the push are both journalled and \
      synced on its way. In nchan it is one channel with \(customers) subscribers.
      """
      : """
      \(customers) chats, \(window) messages on their way, \(lanes) connections that post, 150 bytes of text; \(way). In \
      Carillon the agent posts to the agent API, and the customer hears as a Bayeux session; in nchan a message is posted \
      to a channel of its own for each customer.
      """
    return work
      + " Client, window, connections and clock are the same for all; client and server "
      + (Pinning.plan == nil ? "share the processors. " : "have processors of their own. ")
      + "Latency counts from when a message was due."
  }

  private func carillon() async throws -> [String: Double] {
    let directory = try WorkDirectory()
    let server = try await BenchServer(in: directory, options: ["limits.sessions_by_user: \(customers + 16)"])
    defer { server.stop() }
    try await server.waitUntilReady()
    var settings = settings(at: server.address)
    settings.agentToken = server.agentToken
    settings.service = .chats
    if reachesAll {
      settings.service = .notifications(
        publisherToken: try await BenchServer.createToken(
          try BenchServer.executable(), directory, name: "publisher", ["--role", "publisher"]))
    }
    do { return try await run(settings, [server.pid]) } catch {
      throw BenchError("\(error)\nthe server's log ends with:\n\(server.logTail)")
    }
  }

  private func nchan(withRedis: Bool) async throws -> [String: Double] {
    let directory = try WorkDirectory()
    guard withRedis else { return try await nchan(in: directory, nil) }
    let redis = try await RedisServer.start(in: directory)
    return try await redis.process.during { try await nchan(in: directory, redis) }
  }

  private func nchan(in directory: WorkDirectory, _ redis: RedisServer?) async throws -> [String: Double] {
    let nginx = try await NginxServer.start(in: directory, redisPort: redis?.port, workers: nginxWorkers)
    var settings = settings(at: nginx.address)
    settings.service = reachesAll ? .sharedChannel : .channels
    return try await nginx.process.during {
      try await run(settings, [nginx.process.pid] + (redis.map { [$0.process.pid] } ?? []))
    }
  }

  private func settings(at address: ServerAddress) -> ChatLoad.Settings {
    var settings = ChatLoad.Settings(address: address, customers: customers)
    settings.lanes = lanes
    settings.link = link
    return settings
  }

  private func run(_ settings: ChatLoad.Settings, _ processes: [pid_t]) async throws -> [String: Double] {
    try await ConversationRun(settings: settings, window: window, seconds: seconds, processes: processes).measure()
  }
}
