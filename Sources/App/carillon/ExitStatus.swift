import ArgumentParser

/// Why the process ended, as its exit code; the numbers of `sysexits.h` where one fits.
enum ExitStatus: Int32, CaseIterable {
  case success = 0
  /// `health`: the server does not answer, or says that it is not ready. Any command: nothing was found.
  case failure = 1
  /// The command line is wrong.
  case usage = 64
  /// The journal is damaged: file and offset are named.
  case damagedData = 65
  /// The address cannot be listened on.
  case unavailable = 69
  /// A defect of Carillon itself.
  case software = 70
  /// The data directory cannot be made or opened.
  case dataDirectory = 73
  /// Writing or syncing the journal failed; nothing was acknowledged after that.
  case journalFailed = 74
  /// Another process uses the data directory.
  case dataDirectoryInUse = 75
  /// The configuration was refused.
  case configuration = 78

  var exitCode: ExitCode { ExitCode(rawValue) }
}
