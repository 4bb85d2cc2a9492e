import Testing
import Transparency

@Suite("Tile addresses")
struct TileAddressTests {
  @Test(
    "a tile has one name, which is read back",
    arguments: [
      ("tile/0/000", 0, 0, 256), ("tile/0/000.p/1", 0, 0, 1), ("tile/0/999.p/255", 0, 999, 255),
      ("tile/0/x001/000", 0, 1_000, 256), ("tile/1/x001/x234/067", 1, 1_234_067, 256),
      ("tile/0/x036/x028/x797/x018/x963/967", 0, 36_028_797_018_963_967, 256), ("tile/7/000.p/128", 7, 0, 128),
    ] as [(String, Int, UInt64, Int)])
  func names(path: String, level: Int, index: UInt64, width: Int) throws {
    let tile = try #require(TileAddress(.hashes(level: level), index: index, width: width))
    #expect(tile.path == path)
    #expect(TileAddress(path: path) == tile)
  }

  @Test("entries have names of their own")
  func entries() throws {
    let tile = try #require(TileAddress(.entries, index: 1_067, width: 8))
    #expect(tile.path == "tile/entries/x001/067.p/8")
    #expect(TileAddress(path: tile.path) == tile)
    #expect(tile.treeSize == 1_067 * 256 + 8)
  }

  @Test(
    "every other text is refused",
    arguments: [
      "", "tile", "tile/", "tile/0", "tile/0/", "tile/0/0", "tile/0/00", "tile/0/0000", "tile/00/000", "tile/8/000",
      "tile/-1/000", "tile/+1/000", "tile/0/-01", "tile/0/+01", "tile/0/x000/001", "tile/0/001/001", "tile/0/x001",
      "tile/0/x001/x000", "tile/0/000.p/0", "tile/0/000.p/256", "tile/0/000.p/00", "tile/0/000.p/01",
      "tile/0/000.p/-1", "tile/0/000.p/+1", "tile/0/000.p", "tile/0/000.p/", "tile/0/000.p/1/", "tile/0/000/1",
      "tile/0/.p/1", "/tile/0/000", "tile/0/000/", "tile//000", "tile/0//000", "tile/0/../000", "tile/0/..",
      "tile/../0/000", "../tile/0/000", "tile/0/x..1/000", "tile/0/000.p/../1", "TILE/0/000", "tile/0/X001/000",
      "tile/0/x001/000 ", " tile/0/000", "tile/0/000\n", "tile/0/٠٠٠", "tile/entries", "tile/Entries/000",
      "tile/0/x036/x028/x797/x018/x963/968", "tile/7/000", "tile/7/000.p/129", "tile/7/001.p/1",
      "tile/0/x999/x999/x999/x999/x999/x999/x999/999", "tile/0/000.p/99999999999999999999",
      "tile/99999999999999999999/000", "tile/8/0/000",
    ])
  func refused(path: String) { #expect(TileAddress(path: path) == nil) }

  @Test("a text of a megabyte is refused")
  func overlong() { #expect(TileAddress(path: "tile/0/" + String(repeating: "x001/", count: 200_000) + "000") == nil) }

  @Test("a tree has the tiles that its size asks for")
  func widths() {
    #expect(TileAddress(.hashes(level: 0), index: 0, in: 0) == nil)
    #expect(TileAddress(.hashes(level: 0), index: 0, in: 1)?.width == 1)
    #expect(TileAddress(.hashes(level: 0), index: 0, in: 256)?.width == 256)
    #expect(TileAddress(.hashes(level: 0), index: 1, in: 256) == nil)
    #expect(TileAddress(.hashes(level: 0), index: 1, in: 300)?.width == 44)
    #expect(TileAddress(.hashes(level: 1), index: 0, in: 255) == nil)
    #expect(TileAddress(.hashes(level: 1), index: 0, in: 513)?.width == 2)
    #expect(TileAddress(.hashes(level: 7), index: 0, in: 1 << 63)?.width == 128)
    #expect(TileAddress(.hashes(level: 0), index: 0, in: .max) == nil)
    #expect(TileAddress(.entries, index: .max, in: 1 << 63) == nil)
    #expect(TileAddress.partial(in: 0).isEmpty && TileAddress.partial(in: 65_536).map(\.path) == ["tile/2/000.p/1"])
    #expect(TileAddress.partial(in: 70_001).map(\.path) == ["tile/0/273.p/113", "tile/1/001.p/17", "tile/2/000.p/1"])
    for size in UInt64(1)...2_000 {
      for tile in TileAddress.partial(in: size) {
        #expect(tile.isThere(in: size) && !tile.isThere(in: tile.treeSize - 1))
      }
    }
  }
}
