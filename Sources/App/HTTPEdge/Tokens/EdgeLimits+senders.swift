extension EdgeLimits {
  /// How long a look-up of a sender's key may go by what the token file said before.
  static let senderKeyStaleness = Duration.milliseconds(50)
  /// A key or access token; whatever is longer is none.
  static let secretBytesMaximum = 128
  /// Addresses that one key may come from.
  static let allowedAddressesMaximum = 64
  /// `POST /token`: the signed grant.
  static let grantBytesMaximum = 8_192
  /// A grant may be valid for so long, and its clock may be wrong by so much. Spec: GCM E2; RFC 7523, 3.
  static let grantLifetimeSecondsMaximum: Int64 = 3_600
  static let grantClockSkewSeconds: Int64 = 300
  /// Entries of one sender's script, and how long one may delay a request.
  static let scriptedFaultsMaximum = 1_000
  static let scriptedDelayMillisecondsMaximum = 30_000
}
