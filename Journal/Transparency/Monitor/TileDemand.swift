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

  /// - Returns: few: a dozen for a million records, each once.
  static func tiles(from old: UInt64, to new: UInt64) -> [TileAddress] {
    let demand = TileDemand()
    // Zeros have the right length, and sizes are in order: there is nothing to fail.
    _ = try? TreeComparison.make(from: old, to: new, demand)
    return demand.tiles
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
}
