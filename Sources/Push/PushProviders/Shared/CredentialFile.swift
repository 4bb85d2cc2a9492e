internal import Foundation

/// Small files that options name: keys, certificates, service accounts.
enum CredentialFile {
  static let bytesMaximum = 1_048_576

  /// - Parameter option: the name of the option, for the obstacle.
  static func read(_ path: String, option: String) throws(PushObstacle) -> [UInt8] {
    let handle: FileHandle
    do { handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)) } catch {
      throw PushObstacle("\(option): file cannot be read")
    }
    defer { try? handle.close() }
    let data: Data?
    do { data = try handle.read(upToCount: bytesMaximum + 1) } catch {
      throw PushObstacle("\(option): file cannot be read")
    }
    guard let data, !data.isEmpty else { throw PushObstacle("\(option): file is empty") }
    guard data.count <= bytesMaximum else { throw PushObstacle("\(option): file is too large") }
    return Array(data)
  }
}
