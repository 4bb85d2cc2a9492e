extension EdgeLimits {
  /// How long a look-up of a sender's key may go by what the token file said before.
  package static let senderKeyStaleness = Duration.milliseconds(50)
  /// A key or access token; whatever is longer is none.
  package static let secretBytesMaximum = 128
  /// Addresses that one key may come from.
  package static let allowedAddressesMaximum = 64
  /// `POST /token`: the signed grant.
  package static let grantBytesMaximum = 8_192
  /// A grant may be valid for so long, and its clock may be wrong by so much. Spec: GCM E2; RFC 7523, 3.
  package static let grantLifetimeSecondsMaximum: Int64 = 3_600
  package static let grantClockSkewSeconds: Int64 = 300
  /// Entries of one sender's script, and how long one may delay a request.
  package static let scriptedFaultsMaximum = 1_000
  package static let scriptedDelayMillisecondsMaximum = 30_000
}
