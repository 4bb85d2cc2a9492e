import SystemPackage

/// Text for the person or the script that called a command: results on standard output, remarks on standard error.
enum Console {
  static func print(_ text: String) { write(text + "\n", to: .standardOutput) }
  static func remark(_ text: String) { write(text + "\n", to: .standardError) }
  /// As it stands, without a line's end.
  static func writeProgress(_ text: String) { write(text, to: .standardError) }

  /// - Returns: false once nobody reads any more (`| head`).
  @discardableResult
  static func write(_ bytes: [UInt8], to descriptor: FileDescriptor = .standardOutput) -> Bool {
    do {
      try descriptor.writeAll(bytes)
      return true
    } catch {
      return false
    }
  }

  private static func write(_ text: String, to descriptor: FileDescriptor) {
    write(Array(text.utf8), to: descriptor)
  }
}
