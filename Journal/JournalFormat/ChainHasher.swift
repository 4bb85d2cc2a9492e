/// Computes leaves and the links of the chain (`FORMAT.md`, "Hashes"); the only place that does.
///
/// `add` for one frame or several, then `finish`: leaves do not depend on each other, nor do the links of frames whose
/// predecessors' hashes are known, so all of them are hashed side by side.
package struct ChainHasher: ~Copyable {
  private static let headByteCount = 32 + 33
  private static let entryByteCount = 33

  private var batch = SHA256Batch()
  /// For each frame what its link is the hash of: the header's fields, then kind and leaf of each record.
  private var columns = ByteStore(capacity: 16 * 1024)
  private var links: [Range<Int>] = []

  /// What stands for a record in the chain and in the tree; the salt has 16 bytes.
  package static func leaf(salt: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer) -> Hash256 {
    SHA256Batch.digest(head: salt, body: body)
  }

  /// The link of one frame.
  ///
  /// - Parameters:
  ///   - plain: its records' plain bytes; none in an empty frame.
  ///   - salts: 16 bytes for each record.
  ///   - leaves: handed the leaves of its records.
  /// - Throws: `recordDamaged`, `chainBroken`.
  mutating func link(
    after previous: Hash256, _ header: FrameHeader, plain: UnsafeRawBufferPointer, salts: UnsafeRawBufferPointer,
    leaves: (FrameLeaves) -> Void = { _ in }
  ) throws(FormatError) -> Hash256 {
    precondition(links.isEmpty, "frames that were added are finished first")
    _ = try add(after: previous, header, plain: plain, salts: salts)
    var link = Hash256.zero
    finish { _, hash, found in
      link = hash
      leaves(found)
    }
    return link
  }

  /// The link of a frame without records.
  mutating func link(after previous: Hash256, empty header: FrameHeader) -> Hash256 {
    precondition(header.isEmpty, "only an empty frame has a link without records")
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    // Without records nothing can be wrong with them.
    return (try? link(after: previous, header, plain: none, salts: none)) ?? .zero
  }

  /// Takes a frame in; `plain` and `salts` stay where they are until `finish`.
  ///
  /// - Returns: how many of its records are redacted.
  /// - Throws: as `link`; the frame is not taken in then.
  mutating func add(
    after previous: Hash256, _ header: FrameHeader, plain: UnsafeRawBufferPointer, salts: UnsafeRawBufferPointer
  ) throws(FormatError) -> Int {
    let size = Self.headByteCount + header.recordCount * Self.entryByteCount
    // The column may have to move: leaves that are still to be written into it are written first.
    if columns.capacity - columns.count < size { batch.run() }
    let column = UnsafeMutableRawBufferPointer(start: columns.reserve(size), count: size)
    columns.advance(size)
    Self.begin(column, after: previous, header)
    let messageCount = batch.count
    do throws(FormatError) {
      let redacted = try addLeaves(column, header, plain: plain, salts: salts)
      links.append((columns.count - size)..<columns.count)
      return redacted
    } catch {
      batch.truncate(to: messageCount)
      columns.truncate(to: columns.count - size)
      throw error
    }
  }

  /// Hands on the link of each frame that was added, in order, with the leaves of its records, and forgets them.
  mutating func finish(_ body: (_ index: Int, _ link: Hash256, _ leaves: FrameLeaves) -> Void) {
    batch.run()
    withUnsafeTemporaryAllocation(byteCount: links.count * 32, alignment: 8) { digests in
      guard let target = digests.baseAddress else { return }
      let none = UnsafeRawBufferPointer(start: nil, count: 0)
      for (index, link) in links.enumerated() {
        batch.append(head: none, body: columns.bytes.slice(link), digest: target + index * 32)
      }
      batch.run()
      for index in links.indices {
        let link = Hash256(UnsafeRawBufferPointer(digests).slice((index * 32)..<(index * 32 + 32))) ?? .zero
        let column = columns.bytes.slice(links[index])
        body(index, link, FrameLeaves(column.slice(Self.headByteCount..<column.count)))
      }
    }
    columns.truncate(to: 0)
    links.removeAll(keepingCapacity: true)
  }

  /// The same for frames that follow each other and whose links nobody has written down: each is computed after the
  /// other, from the one before the first; what `add` was told comes before them does not matter.
  mutating func finish(following previous: Hash256, _ body: (_ index: Int, _ link: Hash256) -> Void) {
    batch.run()
    var previous = previous
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { digest in
      guard let target = digest.baseAddress else { return }
      for (index, link) in links.enumerated() {
        previous.store(to: columns.base + link.lowerBound)
        batch.append(head: none, body: columns.bytes.slice(link), digest: target)
        batch.run()
        previous = Hash256(UnsafeRawBufferPointer(digest)) ?? .zero
        body(index, previous)
      }
    }
    columns.truncate(to: 0)
    links.removeAll(keepingCapacity: true)
  }

  private static func begin(
    _ column: UnsafeMutableRawBufferPointer, after previous: Hash256, _ header: FrameHeader
  ) {
    if let base = column.baseAddress { previous.store(to: base) }
    column.store(header.firstPosition, little: 32)
    column.store(header.timeMilliseconds, little: 40)
    column.store(header.durablePosition, little: 48)
    column.store(UInt32(clamping: header.recordCount), little: 56)
    column.store(header.epoch, little: 60)
    column.store(header.flags.intersection([.confirming, .seal]).rawValue, little: 64)
  }

  private mutating func addLeaves(
    _ column: UnsafeMutableRawBufferPointer, _ header: FrameHeader, plain: UnsafeRawBufferPointer,
    salts: UnsafeRawBufferPointer
  ) throws(FormatError) -> Int {
    guard var entry = column.baseAddress.map({ $0 + Self.headByteCount }) else { return 0 }
    var cursor = RecordCursor(plain: plain, header: header)
    var saltOffset = 0
    var redacted = 0
    while let record = try cursor.next() {
      let salt = salts.slice(saltOffset..<(saltOffset + FormatLimits.saltByteCount))
      saltOffset += FormatLimits.saltByteCount
      entry.storeBytes(of: record.kind, as: UInt8.self)
      if record.isRedacted {
        guard salt.isZero, let leaf = Hash256(record.body) else { throw .chainBroken }
        leaf.store(to: entry + 1)
        redacted += 1
      } else {
        batch.append(head: salt, body: record.body, digest: entry + 1)
      }
      entry += Self.entryByteCount
    }
    return redacted
  }
}

/// The leaves of the records of one frame, in order; valid only inside the closure that they were handed to.
public struct FrameLeaves {
  /// Kind and leaf of each record.
  private let entries: UnsafeRawBufferPointer
  private static let entryByteCount = 33

  init(_ entries: UnsafeRawBufferPointer) { self.entries = entries }

  public var count: Int { entries.count / Self.entryByteCount }

  /// Writes the leaves, 32 bytes each, one behind the other.
  ///
  /// - Parameter target: has room for all of them.
  public func copy(to target: UnsafeMutableRawBufferPointer) {
    precondition(target.count >= count * 32, "there is room for all leaves")
    for index in 0..<count {
      let start = index * Self.entryByteCount + 1
      UnsafeMutableRawBufferPointer(rebasing: target[(index * 32)..<(index * 32 + 32)])
        .copyMemory(from: entries.slice(start..<(start + 32)))
    }
  }

  /// Adds them to `bytes`, 32 each.
  public func append(to bytes: inout [UInt8]) {
    for index in 0..<count {
      let start = index * Self.entryByteCount + 1
      bytes.append(contentsOf: entries.slice(start..<(start + 32)))
    }
  }
}
