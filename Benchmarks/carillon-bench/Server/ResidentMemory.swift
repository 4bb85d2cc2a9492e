import CJemalloc

/// The memory of this process, as far as it is in use.
enum ResidentMemory {
  /// Without what has been freed: the allocator would give it back by itself a little later.
  static func settled() async throws -> Int {
    // Until what was under way is done.
    try await Task.sleep(for: .seconds(1))
    _ = mallctl("arena.\(allArenas).purge", nil, nil, nil, 0)
    return try ProcessSample(of: ownPID()).residentBytes
  }

  /// `MALLCTL_ARENAS_ALL`
  private static let allArenas = 4_096
}
