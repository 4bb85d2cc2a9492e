/// What a primary sends to a standby, one after the other, over the body of one response that does not end.
///
/// ```
///   hello ──> ( file* changed? bytes* mark | bytes* sealed | mark )*
/// ```
/// On the wire: type (u8), length of the payload (varint), payload, CRC-32C of all three (u32, little-endian). Numbers
/// in payloads are varints, lowest seven bits first; texts have their length before them.
///
/// Bytes begin at the place that was asked for and follow each other without a gap: a segment's header, its frames to
/// the seal, then the next segment from its first byte. They may be cut anywhere, within a frame too; frames are told
/// apart by their own lengths. Whatever `file` and `changed` say is said of all that happens after `hello`: a standby
/// that reads the manifest behind it misses nothing. A snapshot, which may know as much as the primary had on its disk
/// when it was announced, is of use once the standby has come to the next mark's place.
public enum StandbyMessage: Sendable, Equatable {
  /// The first message, and no other.
  case hello(Hello)
  /// Bytes of a segment that are on the primary's disk.
  case bytes(StandbyPlace, [UInt8])
  /// How far the primary is: as soon as all up to there has been sent, and each second.
  case mark(Mark)
  /// A segment is complete, all its frames have been sent, and its file has that many bytes and is of that version.
  case sealed(segment: UInt64, fileByteCount: Int, version: String)
  /// The manifest is not what it was: it is to be fetched again.
  case changed
  /// A file that the bytes to come may name: it is to be fetched first.
  case file(StandbyFile)

  public struct Hello: Sendable, Equatable {
    public var identity: JournalIdentity
    public var epoch: UInt32
    /// The end of what is on the primary's disk.
    public var place: StandbyPlace
    /// Of the last record on the primary's disk; 0 if there is none.
    public var position: UInt64

    public init(identity: JournalIdentity, epoch: UInt32, place: StandbyPlace, position: UInt64) {
      self.identity = identity
      self.epoch = epoch
      self.place = place
      self.position = position
    }
  }

  public struct Mark: Sendable, Equatable {
    /// The end of what is on the primary's disk, behind a whole frame; bytes up to there have been sent, or will be.
    public var place: StandbyPlace
    public var position: UInt64
    /// When the primary wrote this, milliseconds since 1970.
    public var timeMilliseconds: Int64
    public var epoch: UInt32

    public init(place: StandbyPlace, position: UInt64, timeMilliseconds: Int64, epoch: UInt32) {
      self.place = place
      self.position = position
      self.timeMilliseconds = timeMilliseconds
      self.epoch = epoch
    }
  }

  /// The version of all that this module describes; said in `hello`.
  public static let wireVersion: UInt64 = 1

  enum Kind: UInt8 {
    case hello = 1
    case bytes = 2
    case mark = 3
    case sealed = 4
    case changed = 5
    case file = 6
  }

  var kind: Kind {
    switch self {
    case .hello: .hello
    case .bytes: .bytes
    case .mark: .mark
    case .sealed: .sealed
    case .changed: .changed
    case .file: .file
    }
  }
}
