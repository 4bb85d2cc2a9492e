import EngineKit

/// Why nobody was signed in: what the page is told, and what the operator's log says beside it.
struct OpenIDRefusal: Error, Equatable {
  /// Stands behind `#error=` in the address of the first page, which has the words.
  enum Code: String, CaseIterable {
    /// At the provider somebody has said no.
    case denied
    /// The state is none of this browser's, has come too late or for the second time; or the code has.
    case again
    /// The provider cannot be reached, or answers what is no answer.
    case provider
    /// What the provider has signed does not hold.
    case proof
    /// No value of the role claim is a role here.
    case role
    /// The claim with the services names none, or is no list of names.
    case services
    /// The claim with the name is missing, or can be nobody's name.
    case name
    /// Somebody else has this name: a token, or another person who is signed in.
    case taken
    /// This server takes nobody in at the moment.
    case busy
  }

  let code: Code
  /// In a few words, without anything that a stranger has sent.
  let reason: String
  /// For metrics.
  let name: String

  init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
    name = "openid_\(code.rawValue)"
  }

  /// What the provider has signed does not hold.
  init(_ flaw: IDTokenReader.Flaw) {
    code = .proof
    reason = "the id_token proves nobody: \(flaw.words)"
    name = "openid_\(flaw.name)"
  }

  /// An error's name as operators may read it: one of those that there are, and nothing else that somebody has written.
  /// Spec: RFC 6749, 4.1.2.1 and 5.2; OpenID Connect Core 1.0, 3.1.2.6.
  static func known(_ error: String?) -> String {
    guard let error, errors.contains(error) else { return "an error of no known name" }
    return error
  }

  private static let errors: Set = [
    "invalid_request", "unauthorized_client", "access_denied", "unsupported_response_type", "invalid_scope",
    "server_error", "temporarily_unavailable", "invalid_client", "invalid_grant", "unsupported_grant_type",
    "interaction_required", "login_required", "account_selection_required", "consent_required",
  ]

  var kind: SecurityLog.Kind {
    SecurityLog.Kind(name, "nobody was signed in to the console by OpenID Connect")
  }
}
