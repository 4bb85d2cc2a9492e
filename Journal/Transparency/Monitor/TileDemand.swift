internal import JournalFormat

/// Which tiles a comparison of two trees looks at: found out by making it once with zeros in their place, since what is
/// asked for does not depend on what comes.
///
/// Belongs to the one call that makes it.
final class TileDemand: TileSource {
  private var tiles: [TileAddress] = []

  func hashes(of tile: TileAddress) -> [UInt8] {
    tiles.append(tile)
    return [UInt8](repeating: 0, count: tile.width * TileAddress.hashByteCount)
  }

  /// - Returns: few: a dozen for a million records, each once, and with each full one the one above it.
  static func tiles(from old: UInt64, to new: UInt64) -> [TileAddress] {
    let demand = TileDemand()
    // Zeros have the right length, and sizes are in order: there is nothing to fail.
    _ = try? TreeComparison.make(from: old, to: new, demand)
    var tiles = demand.tiles
    var known = Set(tiles)
    var next = 0
    while next < tiles.count {
      if let above = tiles[next].above(in: new), known.insert(above).inserted { tiles.append(above) }
      next += 1
    }
    return tiles
  }
}

/// What the tiles of a tree say of it, and of how it has grown.
struct TreeComparison {
  /// Of the tree as it is now.
  let head: TreeHead
  /// That it begins with the older one.
  let consistency: [Hash256]

  /// - Throws: `TileProverError`, or what the source throws.
  static func make(from old: UInt64, to new: UInt64, _ source: some TileSource) throws -> TreeComparison {
    var prover = TileProver(size: new, source: source)
    return TreeComparison(head: try prover.head(at: new), consistency: try prover.consistency(from: old, to: new))
  }
}

/// Tiles that have come.
struct FetchedTiles: TileSource {
  struct Missing: Error {
    let tile: TileAddress
  }

  let tiles: [TileAddress: [UInt8]]

  func hashes(of tile: TileAddress) throws -> [UInt8] {
    guard let bytes = tiles[tile] else { throw Missing(tile: tile) }
    return bytes
  }

  /// Whether each full tile is the one that the tile above it was made of.
  ///
  /// With the tree's edge, which has all of what is in the tiles that are not full, that binds all of them to the root:
  /// without it, a tile that was changed would pass for a history that was.
  func areBound(in size: UInt64) -> Bool {
    tiles.allSatisfy { tile, bytes in
      guard let above = tile.above(in: size) else { return true }
      let place = Int(tile.index % UInt64(TileAddress.widthMaximum)) * TileAddress.hashByteCount
      guard let parent = tiles[above], parent.count >= place + TileAddress.hashByteCount else { return false }
      var level = bytes.withUnsafeBytes { bytes in
        stride(from: 0, to: bytes.count, by: TileAddress.hashByteCount).compactMap {
          Hash256(UnsafeRawBufferPointer(rebasing: bytes[$0..<min($0 + TileAddress.hashByteCount, bytes.count)]))
        }
      }
      while level.count > 1 {
        level = stride(from: 0, to: level.count - 1, by: 2).map { MerkleTree.node(level[$0], level[$0 + 1]) }
      }
      return level.first?.bytes == Array(parent[place..<(place + TileAddress.hashByteCount)])
    }
  }
}

extension TileAddress {
  /// The tile with the hash of what a full one has; nil for one that is not full.
  fileprivate func above(in size: UInt64) -> TileAddress? {
    guard !isPartial, case .hashes(let level) = row, level + 1 < TileAddress.levelCount else { return nil }
    return TileAddress(.hashes(level: level + 1), index: index / UInt64(TileAddress.widthMaximum), in: size)
  }
}
