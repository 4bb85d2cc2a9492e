import PushDomain
import Synchronization

/// A token whose proof was right.
struct ProvenToken: Sendable {
  let id: InstallationID
  let number: Int
  private let instanceID: String
  private let isInstanceIDDerived: Bool
  /// What it was proved by: a device that has another one by now has never given it out.
  private let seed: [UInt8]

  /// Nil if the device with this seed never gave out this token.
  init?(_ token: RegistrationToken, provedBy seed: [UInt8]) {
    guard token.isProved(by: seed) else { return nil }
    (id, number, instanceID, self.seed) = (token.id, token.number, String(token.instanceID), seed)
    isInstanceIDDerived = token.hasDerivedInstanceID(seed)
  }

  func isProved(by seed: [UInt8]) -> Bool { seed == self.seed }

  func names(_ registration: AppRegistration) -> Bool {
    RegistrationToken.ownInstanceID(of: registration).map { $0 == instanceID } ?? isInstanceIDDerived
  }
}

/// Tokens that were proved lately, by their texts: to prove one takes three hashes of a hundred bytes with a key of its
/// device, an eighth of what a send costs.
///
/// A text is found by a hash that nobody outside can compute, and compared as a whole; one that is not here is proved.
final class ProvenTokens: Sendable {
  /// Beyond it all are forgotten: some 300 bytes each.
  static let maximum = 16_384

  private let tokens = Mutex<[String: (byteCount: Int, token: ProvenToken)]>([:])

  subscript(text: String) -> ProvenToken? {
    guard let found = tokens.withLock({ $0[text] }) else { return nil }
    // Texts are equal also where one has a Kelvin sign for a K: what is no ASCII is longer.
    return found.byteCount == text.utf8.count ? found.token : nil
  }

  func remember(_ text: String, _ token: ProvenToken) {
    tokens.withLock { tokens in
      if tokens.count >= Self.maximum { tokens = [:] }
      tokens[text] = (text.utf8.count, token)
    }
  }
}
