public import EventSourcing

/// Ids that senders have given to what they sent, for as long as one that comes again is to be known by its own: the last
/// thousand of ten minutes.
///
/// Kept are digests of the sender's name and of the id, apart: who chooses an id to have that of another has the other's
/// name against it. By chance two fall together once in 10¹⁶.
public struct RecentIDs: Sendable, Equatable, Codable {
  /// The oldest makes room.
  public static let countMaximum = 1_000
  public static let retention = Duration.seconds(600)

  private struct Entry: Sendable, Equatable, Codable {
    let sender: UInt64
    let id: UInt64
    let at: Timestamp

    func isRemembered(at now: Timestamp) -> Bool { at.advanced(by: RecentIDs.retention) > now }
  }

  /// In the order in which they came.
  private var entries: [Entry] = []

  public init() {}

  var isEmpty: Bool { entries.isEmpty }

  /// Costs next to nothing where nothing is remembered.
  func contains(_ id: String, of sender: String, at now: Timestamp) -> Bool {
    contains(id.utf8, of: sender, at: now)
  }

  func contains(_ id: some Sequence<UInt8>, of sender: String, at now: Timestamp) -> Bool {
    guard !entries.isEmpty else { return false }
    #if CARILLON_CANARIES
      if Canary.sings(.repetitionTaken) { return false }
    #endif
    let (sender, id) = (Self.digest(sender.utf8), Self.digest(id))
    return entries.contains { $0.id == id && $0.sender == sender && $0.isRemembered(at: now) }
  }

  mutating func insert(_ id: some Sequence<UInt8>, of sender: String, at time: Timestamp) {
    append(id, of: sender, at: time)
    prune(at: time)
  }

  mutating func insert(_ id: String, of sender: String, at time: Timestamp) { insert(id.utf8, of: sender, at: time) }

  /// To be followed by `prune`.
  mutating func append(_ id: some Sequence<UInt8>, of sender: String, at time: Timestamp) {
    entries.append(Entry(sender: Self.digest(sender.utf8), id: Self.digest(id), at: time))
  }

  /// Lets go of what is too old or too much, as far as older ones go first.
  mutating func prune(at time: Timestamp) {
    let over = entries.firstIndex { $0.isRemembered(at: time) } ?? entries.count
    let gone = max(over, entries.count - Self.countMaximum)
    if gone > 0 { entries.removeFirst(gone) }
  }

  mutating func forget(_ senders: Set<String>) {
    let digests = Set(senders.map { Self.digest($0.utf8) })
    entries.removeAll { digests.contains($0.sender) }
  }

  /// FNV-1a: the same for ever, as states hold it.
  private static func digest(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return hash
  }
}

// In columns: less than half of what a message for each would take. Field numbers are frozen.
extension RecentIDs: PayloadPart {
  private enum Field {
    static let senders = PayloadField<Packed<UInt64>>(1)
    static let ids = PayloadField<Packed<UInt64>>(2)
    /// Milliseconds since the one before, modulo 2⁶⁴: the clock may have been set back.
    static let times = PayloadField<Packed<UInt64>>(3)
  }

  public func encode(into writer: inout PayloadWriter) {
    var last: Int64 = 0
    let times = entries.map { entry in
      defer { last = entry.at.milliseconds }
      return UInt64(bitPattern: entry.at.milliseconds &- last)
    }
    writer.put(Field.senders, entries.map(\.sender))
    writer.put(Field.ids, entries.map(\.id))
    writer.put(Field.times, times)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    let (senders, ids, times) = (try read.all(Field.senders), try read.all(Field.ids), try read.all(Field.times))
    guard ids.count == senders.count, times.count == senders.count else { throw .outOfRange(field: Field.ids.number) }
    var last: Int64 = 0
    for ((sender, id), time) in zip(zip(senders, ids), times) {
      last &+= Int64(bitPattern: time)
      entries.append(Entry(sender: sender, id: id, at: Timestamp(milliseconds: last)))
    }
  }
}
