// What customers' operations have in common.
extension APIParameter {
  /// Whose an object is that is made, and who asks for one.
  package static let ownerKey: APIParameter = .header(
    "gms_user",
    """
    The user's key. What was made with one is found only with it (404 otherwise); what was made without opens to whoever \
    has its id.
    """, .text(pattern: "^[!-~]{1,256}$"))

  /// Names the customer where somebody has to be named.
  package static let userKey: APIParameter = .requiredHeader(
    "gms_user", "The customer: an opaque text that the app has chosen.", .text(pattern: "^[!-~]{1,256}$"))

  /// An instance of a service.
  package static let serviceID: APIParameter = .path("service", "The instance's id, from `createService`.")
}
