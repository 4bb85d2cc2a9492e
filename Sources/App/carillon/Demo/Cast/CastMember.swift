/// Where a sample customer's pushes go.
enum CastPush: String, Sendable, CaseIterable {
  /// To a receiver that takes them.
  case good
  /// To one that takes one attempt in three: what is tried again.
  case shaky
  /// To one that has never heard of the device: what ends as a dead letter.
  case gone
  /// Nowhere: without a device.
  case none

  /// The named credentials that its chats choose; nil for the built-in ones.
  var provider: String? {
    switch self {
    case .good, .none: nil
    case .shaky, .gone: rawValue
    }
  }
}

/// A sample customer.
struct CastMember: Sendable, Equatable {
  let number: Int
  let name: String
  let language: CastLanguage
  let service: CastService
  let push: CastPush

  /// The same on every day: with a data directory that stays, they have a history.
  var userKey: String { "demo-\(name.lowercased())" }
  var deviceID: String { "\(userKey)-phone" }
  var email: String { "\(name.lowercased())@example.com" }
  var telephone: String { "+49305550\(100 + number)" }
  /// What the SDK of their app has made.
  var guid: String { "d0d0d0d0-0000-4000-8000-0000000000\(number < 10 ? "0" : "")\(number)" }

  /// All of them: a few in each service, most with a device that works.
  static let all: [CastMember] = [
    CastMember(number: 1, name: "Mia", language: .en, service: .orders, push: .good),
    CastMember(number: 2, name: "Otto", language: .de, service: .billing, push: .shaky),
    CastMember(number: 3, name: "Nora", language: .en, service: .returns, push: .gone),
    CastMember(number: 4, name: "Tom", language: .en, service: .orders, push: .good),
    CastMember(number: 5, name: "Jule", language: .de, service: .returns, push: .good),
    CastMember(number: 6, name: "Ravi", language: .en, service: .billing, push: .good),
    CastMember(number: 7, name: "Svenja", language: .de, service: .orders, push: .none),
    CastMember(number: 8, name: "Lucia", language: .en, service: .returns, push: .shaky),
    CastMember(number: 9, name: "Emre", language: .de, service: .orders, push: .good),
    CastMember(number: 10, name: "Zoe", language: .en, service: .billing, push: .gone),
  ]
}

enum CastLanguage: String, Sendable, CaseIterable { case en, de }

/// What chats are about.
enum CastService: String, Sendable, CaseIterable { case orders, billing, returns }
