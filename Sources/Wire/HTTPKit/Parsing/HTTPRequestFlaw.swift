/// Why bytes are no request that can be read.
package enum HTTPRequestFlaw: Error, Equatable {
  /// It is not HTTP, or does not say where it ends.
  case malformed
  /// Target and fields together are longer than a head may be, or there are too many fields.
  case headTooLarge
  /// It is of another version than 1.0 and 1.1.
  case unknownVersion
}
