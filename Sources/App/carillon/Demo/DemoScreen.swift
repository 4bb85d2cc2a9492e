import CarillonClient
import JSONEnvelope
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Tells the story on standard output: who does what, and what goes over the wire, in short.
final class DemoScreen: Sendable {
  enum Actor: String {
    case server, standby, app, otto, agent, push, backend

    fileprivate var colour: String {
      switch self {
      case .server, .standby: "35"
      case .app: "36"
      case .otto: "34"
      case .agent: "33"
      case .push, .backend: "32"
      }
    }
  }

  private let isColoured: Bool
  private let start = ContinuousClock.now
  private let checks = Mutex(0)

  /// Colours only for a terminal, and not if `NO_COLOR` is set.
  init() { isColoured = isatty(STDOUT_FILENO) == 1 && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true) }

  var checkCount: Int { checks.withLock { $0 } }
  var elapsed: String { Self.seconds(ContinuousClock.now - start) }

  func title(_ text: String) { Console.print("\n" + paint(text, "1")) }

  /// Somebody does something.
  func says(_ actor: Actor, _ text: String) {
    let name = actor.rawValue + String(repeating: " ", count: 7 - actor.rawValue.count)
    Console.print("\(clock)  \(paint(name, actor.colour + ";1"))  \(text)")
  }

  func kill(_ text: String) { Console.print("\(clock)  \(paint("KILL     " + text, "31;1"))") }

  /// Something that had to be so, and is.
  func check(_ text: String) {
    checks.withLock { $0 += 1 }
    Console.print("         \(paint("✓", "32;1"))        \(text)")
  }

  func wire(_ arrow: String, _ body: [UInt8]) {
    Console.print("                  \(paint("\(arrow) \(WireText.shortened(body))", "2"))")
  }

  func note(_ text: String) { Console.print(paint(text, "2")) }

  func failed(_ text: String) { Console.print("\(clock)  \(paint("✗ FAILED", "31;1"))  \(text)") }

  private var clock: String {
    let text = elapsed
    return paint(String(repeating: " ", count: max(0, 6 - text.count)) + text, "2")
  }

  private func paint(_ text: String, _ code: String) -> String {
    isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }

  /// `3.2 s`
  static func seconds(_ duration: Duration) -> String {
    let tenths = (duration.components.seconds * 10) + duration.components.attoseconds / 100_000_000_000_000_000
    return "\(tenths / 10).\(tenths % 10) s"
  }
}

/// JSON as a person wants to see it pass by: without what is always the same, long ids cut.
enum WireText {
  private static let left = ["chatServiceMessage", "startedAt", "tag", "minimumVersion", "version"]
  /// Long words that are no ids.
  private static let spelledOut = ["_action"]
  private static let idCharacters = 7
  private static let lengthMaximum = 700

  static func shortened(_ body: [UInt8]) -> String {
    guard let value = try? JSONValue(parsing: body) else { return String(decoding: body.prefix(200), as: UTF8.self) }
    let text = String(decoding: shortened(value).text, as: UTF8.self)
    return text.count <= lengthMaximum ? text : text.prefix(lengthMaximum) + "…"
  }

  private static func shortened(_ value: JSONValue) -> JSONValue {
    switch value {
    // Of a URL the end tells what it is for.
    case .string(let text) where text.hasPrefix("http://"):
      return .string("…/" + text.split(separator: "/").suffix(1).joined())
    case .string(let text) where text.count >= 16 && !text.contains(where: { " ./".contains($0) }):
      return .string(text.prefix(idCharacters) + "…")
    case .array(let elements): return .array(elements.map(shortened))
    case .object(let object):
      var short = JSONObject()
      for member in object.members where !left.contains(member.name) {
        short[member.name] = spelledOut.contains(member.name) ? member.value : shortened(member.value)
      }
      return .object(short)
    default: return value
    }
  }
}
