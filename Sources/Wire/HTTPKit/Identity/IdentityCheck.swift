import EntityRuntime
import EventSourcing
import OptionKit

/// What can be known of a policy before anybody comes: for `config check`.
public struct IdentityCheck: Sendable {
  /// One line: how users are proven, and with what.
  public let summary: String
  /// What keeps it from working; the server would not start with some of it, and with the rest would let nobody in.
  public let obstacles: [String]

  /// Reads every file, and asks the URL.
  public init(_ policy: IdentityPolicy, proxies: TrustedProxies) async {
    switch policy {
    case .open:
      summary = "identity open: whoever knows a gms_user is taken for that user"
      obstacles = []
    case .proxyHeader(let name):
      summary = "identity header-from-proxy: \(name), from \(proxies.networks.count) networks"
      obstacles = []
    case .token(let policy):
      let source = KeySource(policy: policy)
      var (keys, obstacles) = ([VerificationKey](), [String]())
      do throws(KeyReader.Problem) {
        keys += try await source.own().keys
      } catch {
        obstacles.append(error.description)
      }
      do throws(KeyReader.Problem) {
        if let (fetched, date) = try await source.fetched() {
          keys += fetched
          let now = SystemTime().now
          if let apart = HTTPDate.clocksApart(date, now: now, beyond: policy.clockSkew) {
            obstacles.append(
              "\(TokenOptions.keys.keySetURL.name): this clock and its server's are \(apart.magnitude) s apart: tokens will be refused"
            )
          }
        }
      } catch {
        obstacles.append(error.description)
      }
      let names = keys.map { $0.algorithm.rawValue + ($0.id.map { " \($0)" } ?? "") }
      summary = "identity jwt: \(keys.count) keys" + (names.isEmpty ? "" : ": " + names.joined(separator: ", "))
      self.obstacles = obstacles
    }
  }
}
