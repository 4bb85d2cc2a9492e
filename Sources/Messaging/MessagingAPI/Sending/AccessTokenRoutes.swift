import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// An access token for the signed grant of a service account, as Google's client libraries ask for it.
/// Spec: GCM E2; RFC 6749, 5.
struct AccessTokenRoutes {
  let tokens: TokenStore
  let limits: EdgeLimits

  func make(_ request: Request) async throws -> Response {
    let parameters = try await request.parameters(limits: limits)
    guard parameters["grant_type"] == ServiceAccountGrant.type else {
      return Self.refusal("unsupported_grant_type", "Invalid grant_type")
    }
    guard let grant = parameters["assertion"] else {
      return Self.refusal("invalid_request", "Missing parameter: assertion")
    }
    do throws(ServiceAccountGrant.Failure) {
      let sender = try await ServiceAccountGrant.sender(of: grant, tokens: tokens, now: tokens.now())
      return Self.answer(tokens.makeAccessToken(for: sender))
    } catch {
      return Self.refusal("invalid_grant", error.description)
    }
  }

  private static func answer(_ token: String) -> Response {
    .object { answer in
      answer.member("access_token", token)
      answer.member("expires_in", ShortLivedToken.lifetimeSeconds)
      answer.member("token_type", "Bearer")
    }
  }

  private static func refusal(_ error: StaticString, _ description: String) -> Response {
    .object(status: .badRequest) { refusal in
      refusal.member("error", error)
      refusal.member("error_description", description)
    }
  }
}
