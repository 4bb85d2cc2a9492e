package import OptionKit

/// Files in chats: options of section `server`.
package struct FileOptions: OptionTable {
  package static let keys = FileOptions()

  /// Empty: nobody looks.
  package let scanCommand = OptionKey(
    "files.scan_command", in: [.server], .list, default: [],
    """
    program, by its whole path, and arguments that look at each file of a chat before it is kept; the file's path comes \
    last, its bytes on standard input; exit status 0: clean, 1: refused, else nothing is kept
    """, takes: .reload)
  package let scanTimeout = OptionKey(
    "files.scan_seconds", in: [.server], .wholeSeconds(1...600), default: .seconds(30),
    "how long a scan may take; then it is killed, and the file is not kept", takes: .reload)
  package let scansAtOnce = OptionKey(
    "files.scans_at_once", in: [.server], .integer(1...256), default: 8,
    "scans at a time; one file more is answered with 503", takes: .reload)

  package init() {}
}
