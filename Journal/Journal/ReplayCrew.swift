internal import JournalFormat
internal import SystemPackage

/// Threads that replay a journal side by side, behind the one that reads, checks and unpacks it. Each goes through all
/// records, in order, and takes those that are its own.
///
/// ```
///   reader ── block ──> blocks: frames from one restart point to the next ──> every thread, one block after another
///      ^                                                                          │
///      └────────────────── windows that all are through with ─────────────────────┘
/// ```
/// The reader is as far ahead as there are windows, and waits then. What goes wrong is told as if one thread had done
/// it all: the threads go through everything that was read until then, and the first record in the journal counts.
///
/// Safe to share: the reader's part is touched by the reader only, the rest under `lock`, which is not held while
/// records are replayed.
final class ReplayCrew: ReplayTaker, @unchecked Sendable {
  private struct Block {
    let file: FilePath
    let window: PlainWindow
    var frames: [UnpackedFrame] = []
  }

  private struct Failure {
    let position: UInt64
    let error: any Error
  }

  private let replays: [JournalWriter.Replay]

  // The reader's.
  private var decoder: FrameDecoder
  private var pending: Block
  private var threads: [DedicatedThread] = []

  private let lock = ThreadLock()
  private let work = ThreadLock.Condition()
  private let room = ThreadLock.Condition()
  /// Those that not all are through with, and the number of the first.
  private var blocks: [Block] = []
  private var firstBlock = 0
  /// Of each thread, the number of the block that it takes next.
  private var progress: [Int]
  private var windows: [PlainWindow]
  private var isEnded = false
  private var failure: Failure?

  init(_ replays: [JournalWriter.Replay]) {
    self.replays = replays
    progress = Array(repeating: 0, count: replays.count)
    let window = PlainWindow()
    decoder = FrameDecoder(window: window)
    pending = Block(file: "", window: window)
    windows = (0..<Limits.replayWindowCount).map { _ in PlainWindow() }
  }

  func beginSegment(_ file: FilePath) throws {
    try handOver()
    decoder.beginSegment()
    pending = Block(file: file, window: pending.window)
  }

  func take(_ frame: ScannedFrame, in bytes: UnsafeRawBufferPointer) throws {
    if frame.header.flags.contains(.restart) { try handOver() }
    let unpacked = try decoder.unpack(frame, in: bytes)
    if !frame.header.isEmpty { pending.frames.append(unpacked) }
  }

  func pass(_ frame: ScannedFrame, in bytes: UnsafeRawBufferPointer) throws {
    try decoder.forEachRecord(of: frame, in: bytes) { _ in }
  }

  func finish() throws {
    let submitted = Result { () throws(StorageError) in try submit() }
    lock.lock()
    isEnded = true
    work.broadcast()
    lock.unlock()
    for thread in threads { thread.join() }
    threads = []
    _ = try submitted.get()
    if let failure { throw failure.error }
  }

  /// Goes on in another window, once there is one: the threads have this one until they are through.
  private func handOver() throws {
    guard try submit() else { return }
    lock.lock()
    while windows.isEmpty { room.wait(lock) }
    let window = windows.removeLast()
    let hasFailed = failure != nil
    lock.unlock()
    decoder.goOn(in: window)
    pending = Block(file: pending.file, window: window)
    if hasFailed { try finish() }
  }

  /// - Returns: false if there was nothing to hand on.
  @discardableResult
  private func submit() throws(StorageError) -> Bool {
    guard !pending.frames.isEmpty else { return false }
    while threads.count < replays.count {
      let index = threads.count
      threads.append(try DedicatedThread { [self] in run(index) })
    }
    lock.lock()
    blocks.append(pending)
    work.broadcast()
    lock.unlock()
    pending.frames = []
    return true
  }

  private func run(_ index: Int) {
    var hasFailed = false
    lock.lock()
    defer { lock.unlock() }
    while true {
      while progress[index] == firstBlock + blocks.count {
        if isEnded { return }
        work.wait(lock)
      }
      let block = blocks[progress[index] - firstBlock]
      lock.unlock()
      // Behind its own first failure a thread only lets go.
      let found = hasFailed ? nil : Self.replay(block, replays[index])
      lock.lock()
      if let found {
        hasFailed = true
        if found.position < failure?.position ?? .max { failure = found }
      }
      progress[index] += 1
      while let first = blocks.first, progress.allSatisfy({ $0 > firstBlock }) {
        windows.append(first.window)
        blocks.removeFirst()
        firstBlock += 1
        room.signal()
      }
    }
  }

  private static func replay(_ block: Block, _ replay: JournalWriter.Replay) -> Failure? {
    for unpacked in block.frames {
      var position = unpacked.frame.header.firstPosition &- 1
      do {
        try unpacked.forEachRecord { record in
          position = record.position
          try replay(record)
        }
      } catch let error as FormatError {
        // Of the record behind the last one that could be read.
        return Failure(
          position: position &+ 1, error: JournalError(error, file: block.file, offset: unpacked.frame.offset))
      } catch {
        return Failure(position: position, error: error)
      }
    }
    return nil
  }
}
