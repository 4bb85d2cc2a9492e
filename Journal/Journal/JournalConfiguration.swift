internal import Glibc
public import JournalFormat
public import SystemPackage

/// How a journal is written.
public struct JournalConfiguration: Sendable {
  /// Size of each segment file in bytes, a multiple of 4096 from 16 KiB to 1 GiB; one append is at most about a quarter
  /// of it, or 1 MiB.
  public var segmentByteCount = 64 * 1024 * 1024
  /// Records that wait for the disk; at the bound `append` throws `overloaded`.
  public var pendingByteCountMaximum = 32 * 1024 * 1024
  /// Waiters that wait for the disk; at the bound `append` throws `overloaded`.
  public var pendingWaiterCountMaximum = 262_144
  /// What was appended lazily is written after so long, if no other frame has taken it along.
  public var lazyInterval: Duration = .milliseconds(5)
  /// After so long without a commit a writer is idle: it writes the confirming frame.
  public var idleInterval: Duration = .milliseconds(500)
  public var nodeID: UInt64 = 1
  /// Only the records behind this point are replayed, and the segments before its own may be missing; nil: all are.
  ///
  /// The journal must hold the point: `open` throws `foreignStartingPoint` or `startingPointBeyondEnd` otherwise.
  public var startingPoint: JournalPoint?
  /// Where old segments are; nil: `archive` below the journal's directory. It need not exist.
  public var archiveDirectory: FilePath?
  /// Takes the leaves of records once they are on the disk; nil: nobody wants them.
  public var leaves: LeafHandover?
  /// Is told how long each write with its sync took, on the writer's thread and under its lock: it must be short.
  public var onSync: @Sendable (Duration) -> Void = { _ in }
  /// Is kept up to date while a journal is opened; nil: nobody wants to know.
  public var replayProgress: ReplayProgress?
  /// Milliseconds since 1970, for segment headers and empty frames.
  public var clock: @Sendable () -> Int64 = JournalConfiguration.systemClock
  /// Fills bytes that nobody can guess; a test may inject predictable ones.
  public var randomBytes: @Sendable (UnsafeMutableRawBufferPointer) -> Void = JournalConfiguration.systemRandomBytes
  /// The writer has no thread of its own and waits for nothing: whoever owns it calls `JournalWriter.step`.
  ///
  /// For simulation: with a given clock and given random bytes, the same calls then write the same bytes.
  package var isStepped = false

  public init() {}

  public static let systemClock: @Sendable () -> Int64 = {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }

  public static let systemRandomBytes: @Sendable (UnsafeMutableRawBufferPointer) -> Void = { bytes in
    var done = 0
    // One call for all salts of a frame; the standard library's generator makes one for each eight bytes.
    while done < bytes.count, randomDevice >= 0 {
      let count = read(randomDevice, bytes.baseAddress.map { $0 + done }, bytes.count - done)
      if count <= 0, errno != EINTR { break }
      done += max(count, 0)
    }
    var generator = SystemRandomNumberGenerator()
    for index in done..<bytes.count { bytes[index] = UInt8.random(in: .min ... .max, using: &generator) }
  }

  private static let randomDevice = open("/dev/urandom", O_RDONLY | O_CLOEXEC)
}
