#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// What the system says of this process, under the names that all Prometheus clients use.
///
/// Spec: Prometheus, process metrics of client libraries.
public struct ProcessFigures: Sendable, Equatable {
  /// User and system time, in seconds.
  public var cpuSeconds: Double
  public var residentBytes: Double
  /// When it began, in seconds since 1970.
  public var startSeconds: Double
  public var openFiles: Double
  /// Descriptors that it may have; infinite without a limit.
  public var openFilesMaximum: Double

  /// Nil where there is no `/proc`.
  public static func current() -> ProcessFigures? {
    guard let stat = text(of: "/proc/self/stat"), let system = text(of: "/proc/stat"),
      let parsed = ProcessStat(stat), let boot = ProcessStat.bootSeconds(system),
      let files = entries(of: "/proc/self/fd")
    else { return nil }
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
    return ProcessFigures(
      cpuSeconds: Double(parsed.cpuTicks) / ticks,
      residentBytes: Double(parsed.residentPages) * Double(sysconf(Int32(_SC_PAGESIZE))),
      startSeconds: boot + Double(parsed.startTicks) / ticks,
      // The descriptor that reads the directory is none of the process's own.
      openFiles: Double(files - 1),
      openFilesMaximum: limit.rlim_cur >= rlim_t(Int64.max) ? .infinity : Double(limit.rlim_cur))
  }

  private static let fileBytesMaximum = 1_048_576

  private static func text(of path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 16_384)
    while bytes.count < fileBytesMaximum {
      let count = read(file, &part, part.count)
      guard count > 0 else { break }
      bytes += part.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func entries(of path: String) -> Int? {
    guard let directory = opendir(path) else { return nil }
    defer { closedir(directory) }
    var count = 0
    while let entry = readdir(directory) {
      if entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) { count += 1 }
    }
    return count
  }
}

/// The line of `/proc/PID/stat`, as far as it is needed. Spec: proc_pid_stat(5).
struct ProcessStat: Equatable {
  let cpuTicks: UInt64
  /// Since the system was started.
  let startTicks: UInt64
  let residentPages: UInt64

  /// Nil for what is no such line. The program's name may hold anything, brackets and spaces as well.
  init?(_ line: String) {
    guard let bracket = line.lastIndex(of: ")") else { return nil }
    // From the third field on.
    let fields = line[line.index(after: bracket)...].split(whereSeparator: \.isWhitespace)
    guard fields.count > 21, let user = UInt64(fields[11]), let system = UInt64(fields[12]),
      let start = UInt64(fields[19]), let pages = UInt64(fields[21])
    else { return nil }
    (cpuTicks, startTicks, residentPages) = (user + system, start, pages)
  }

  /// When the system was started, in seconds since 1970. - Parameter text: of `/proc/stat`.
  static func bootSeconds(_ text: String) -> Double? {
    text.split(separator: "\n").first { $0.hasPrefix("btime ") }.flatMap { Double($0.dropFirst("btime ".count)) }
  }
}
