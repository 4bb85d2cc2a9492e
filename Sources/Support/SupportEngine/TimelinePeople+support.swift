import EngineKit
import SupportDomain

extension TimelinePeople {
  /// Somebody of support requests, by their number.
  func name(user number: Int64, _ role: SupportRole) -> String {
    name(of: ReservedUserKey.of(number)) ?? (role == .agent ? "agent \(number)" : "user \(number)")
  }
}
