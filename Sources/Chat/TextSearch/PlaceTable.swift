/// Where the texts of a segment stand, by their numbers in it: 0, 1, 2, … in the order of owners and of their texts.
///
/// An owner's texts are a run: the first one's number and time, then what each following one adds to them.
struct PlaceTable: Sendable {
  struct Run: Sendable {
    let owner: UInt32
    /// The number of its first text in the segment.
    let first: UInt32
    /// Where it begins in `bytes`.
    let offset: UInt32
  }

  let runs: [Run]
  let count: Int
  /// The least and greatest time.
  let oldest: UInt32
  let newest: UInt32
  private let bytes: [UInt8]

  /// - Parameter places: in their order; not empty.
  init(_ places: [TextPlace]) {
    var (runs, bytes) = ([Run](), [UInt8]())
    let oldest = places.lazy.map(\.seconds).min() ?? 0
    var before: TextPlace?
    for (document, place) in places.enumerated() {
      if let before, before.owner == place.owner {
        bytes.append(varint: place.number - before.number)
        bytes.append(zigzag: Int64(place.seconds) - Int64(before.seconds))
      } else {
        runs.append(Run(owner: place.owner, first: UInt32(document), offset: UInt32(bytes.count)))
        bytes.append(varint: place.number)
        bytes.append(varint: place.seconds - oldest)
      }
      before = place
    }
    self.runs = runs.tight
    self.bytes = bytes.tight
    self.oldest = oldest
    newest = places.lazy.map(\.seconds).max() ?? 0
    count = places.count
  }

  var storageBytes: Int { runs.storageBytes + bytes.storageBytes }

  /// The texts of a run, by their numbers in the segment.
  func texts(of run: Int) -> Range<Int> {
    Int(runs[run].first)..<(run + 1 < runs.count ? Int(runs[run + 1].first) : count)
  }

  /// Of an owner; empty if it has none here.
  func texts(ofOwner owner: UInt32) -> Range<Int> {
    let run = runs.partition { $0.owner >= owner }
    return run < runs.count && runs[run].owner == owner ? texts(of: run) : 0..<0
  }

  /// The places of all, in their order.
  var places: [TextPlace] {
    var places: [TextPlace] = []
    places.reserveCapacity(count)
    for run in runs.indices {
      var reader = Reader(self, run)
      for _ in texts(of: run) { places.append(reader.next()) }
    }
    return places
  }

  /// Goes from text to text.
  struct Reader {
    private let table: PlaceTable
    private var offset: Int
    private var place: TextPlace?
    private let owner: UInt32

    init(_ table: PlaceTable, _ run: Int) {
      self.table = table
      owner = table.runs[run].owner
      offset = Int(table.runs[run].offset)
    }

    /// The place of the next text of the run; there is one.
    mutating func next() -> TextPlace {
      var next: TextPlace
      if let place {
        next = place
        next.number += table.bytes.varint(at: &offset)
        next.seconds = UInt32(clamping: Int64(next.seconds) + table.bytes.zigzag(at: &offset))
      } else {
        let number = table.bytes.varint(at: &offset)
        next = TextPlace(seconds: table.oldest + table.bytes.varint(at: &offset), owner: owner, number: number)
      }
      place = next
      return next
    }
  }
}

extension Array {
  /// The place of the first element of which `isBehind` is true; all from there on are.
  func partition(_ isBehind: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
