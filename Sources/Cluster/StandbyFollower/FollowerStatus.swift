internal import JSONEnvelope
package import Journal
internal import JournalFormat
package import SystemPackage

/// How far a standby is: what it writes to `journal/STANDBY.json`, and `carillon standby --status` reads.
package struct FollowerStatus: Sendable, Equatable {
  package enum State: String, Sendable, CaseIterable {
    /// The primary is asked for what it has.
    case looking
    /// A first copy, or a new one, is being made.
    case copying
    /// What the primary writes is written here.
    case following
    /// The primary is not reached, or does not answer; it is tried again.
    case waiting
    /// It has given up: the problem says why.
    case ended
  }

  package var state = State.looking
  /// The primary's URL.
  package var primary: String
  package var epoch: UInt32 = 0
  /// Of the last record that is on the disk here.
  package var position: UInt64 = 0
  /// The same at the primary, as far as it was heard.
  package var primaryPosition: UInt64 = 0
  /// From the primary's word that it had so much to the sync of it here, by two clocks; nil before the first.
  package var lagMilliseconds: Int64?
  /// When this was written, milliseconds since 1970.
  package var atMilliseconds: Int64 = 0
  /// What was wrong last, while it is.
  package var problem: String?

  static let fileName = "STANDBY.json"

  package init(primary: String) { self.primary = primary }

  /// Records that the primary has and this standby has not.
  package var lagRecords: UInt64 { primaryPosition > position ? primaryPosition - position : 0 }
}

extension FollowerStatus: CustomStringConvertible {
  /// One line.
  package var description: String {
    let lag = lagMilliseconds.map { ", \($0) ms behind" } ?? ""
    let place = "position \(position) of \(primaryPosition)\(lag), epoch \(epoch)"
    return "\(state.rawValue)  \(place)\(problem.map { "  \($0)" } ?? "")"
  }
}

extension FollowerStatus {
  /// As it is written.
  package var document: [UInt8] {
    JSONWriter.object(capacity: 256) { body in
      body.member("state", state.rawValue)
      body.member("primary", primary)
      body.member("epoch", epoch)
      body.member("position", position)
      body.member("primary_position", primaryPosition)
      body.member("lag_records", lagRecords)
      body.member("lag_milliseconds", ifPresent: lagMilliseconds)
      body.member("at_milliseconds", atMilliseconds)
      body.member("problem", ifPresent: problem)
    }
  }

  /// Nil if it is nothing that `document` has written.
  package init?(document: [UInt8]) {
    let limits = JSONLimits(depthMaximum: 2, documentBytesMaximum: FollowerLimits.statusBytesMaximum)
    guard let body = try? JSONValue(parsing: document, limits: limits),
      let state = body["state"]?.string.flatMap({ State(rawValue: $0) }), let primary = body["primary"]?.string,
      let epoch = body["epoch"]?.integer.flatMap({ UInt32(exactly: $0) }),
      let position = body["position"]?.integer.flatMap({ UInt64(exactly: $0) }),
      let primaryPosition = body["primary_position"]?.integer.flatMap({ UInt64(exactly: $0) }),
      let time = body["at_milliseconds"]?.integer
    else { return nil }
    self.init(primary: primary)
    (self.state, self.epoch, self.position, self.primaryPosition) = (state, epoch, position, primaryPosition)
    lagMilliseconds = body["lag_milliseconds"]?.integer.map { Int64($0) }
    atMilliseconds = Int64(time)
    problem = body["problem"]?.string
  }

  /// What the standby of a directory wrote last.
  ///
  /// - Parameter journal: the journal's own directory.
  /// - Returns: nil if none did.
  package static func read(
    in journal: FilePath, storage: any JournalStorage = DiskStorage()
  ) throws(StorageError) -> FollowerStatus? {
    let bytes = try FollowerDisk.read(
      journal.appending(fileName), atMost: FollowerLimits.statusBytesMaximum, storage)
    return bytes.flatMap { FollowerStatus(document: $0) }
  }
}
