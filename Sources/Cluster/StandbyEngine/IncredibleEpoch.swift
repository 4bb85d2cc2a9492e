/// Somebody tells of an epoch that is so far above the server's own that it is taken for a mistake.
package struct IncredibleEpoch: Error, Equatable {
  package let epoch: UInt32
  package let own: UInt32
}
