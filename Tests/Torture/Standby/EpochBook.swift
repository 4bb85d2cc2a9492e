import JournalFormat

/// Who wrote what in which epoch, over all directories and all time: a value that reads nothing itself.
struct EpochBook {
  /// A frame with records, wherever it was found.
  struct Frame: Sendable, Hashable {
    let epoch: UInt32
    let firstPosition: UInt64
    let chainHash: Hash256
  }

  private struct Place: Hashable {
    let epoch: UInt32
    let firstPosition: UInt64
  }

  private var hashes: [Place: Hash256] = [:]
  private var newest: UInt32 = 1

  /// A promotion has begun an epoch.
  /// - Returns: what is wrong with it.
  mutating func began(_ epoch: UInt32) -> [String] {
    defer { newest = max(newest, epoch) }
    return epoch > newest ? [] : ["epoch \(epoch) began, and epoch \(newest) had begun before"]
  }

  /// Frames of a journal, or of what was set aside of one, in order.
  /// - Returns: what is wrong with them: two writers of one epoch put two frames in one place.
  mutating func read(_ frames: [Frame], of name: String) -> [String] {
    var wrong: [String] = []
    var last: UInt32 = 0
    for frame in frames {
      let place = "\(name): at position \(frame.firstPosition)"
      if frame.epoch < last { wrong.append("\(place) epoch \(frame.epoch) comes behind epoch \(last)") }
      last = max(last, frame.epoch)
      if frame.epoch > newest { wrong.append("\(place) is epoch \(frame.epoch), which nobody has begun") }
      let known = hashes.updateValue(
        frame.chainHash, forKey: Place(epoch: frame.epoch, firstPosition: frame.firstPosition))
      if let known, known != frame.chainHash {
        wrong.append("\(place) stands another frame of epoch \(frame.epoch) than elsewhere: two have written in it")
      }
    }
    return wrong
  }
}
