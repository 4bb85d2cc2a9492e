internal import CFuzzer

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// What all fuzzers share. Each is a program whose `main` calls `run()`, with a C function `LLVMFuzzerTestOneInput` that
/// libFuzzer calls with one input after the other.
public enum Fuzzer {
  /// Hands the process to libFuzzer, with the arguments that it was started with.
  public static func run() -> Never { exit(carillon_fuzz(CommandLine.argc, CommandLine.unsafeArgv)) }
}

/// Ends the process, which libFuzzer takes for a finding, unless `condition` holds.
public func require(_ condition: Bool, _ property: @autoclosure () -> String) {
  guard condition else { fatalError("violated: " + property()) }
}

/// What `elementsEqual` says, by the C library's means: instrumented loops are slow.
public func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
  guard left.count == right.count, let first = left.baseAddress, let second = right.baseAddress else {
    return left.count == right.count
  }
  return memcmp(first, second, left.count) == 0
}

/// Whether all bytes are zero; fast like `areEqual`.
public func isZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
  guard let first = bytes.first else { return true }
  return first == 0
    && areEqual(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()), UnsafeRawBufferPointer(rebasing: bytes.dropLast()))
}

/// Takes an input apart: first what steers the fuzzer, then what is fed to the code under test.
///
/// Beyond the end there are zeros, so that every input means something.
public struct FuzzInput {
  private var rest: Slice<UnsafeRawBufferPointer>

  public init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
    rest = UnsafeRawBufferPointer(start: start, count: count)[...]
  }

  public var isEmpty: Bool { rest.isEmpty }

  public mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// Little-endian.
  public mutating func number() -> UInt16 {
    let low = UInt16(byte())
    return low | UInt16(byte()) << 8
  }

  /// At most `count` bytes, in memory of their own: whoever reads behind them is found out.
  public mutating func bytes(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  public mutating func remainder() -> [UInt8] { bytes(rest.count) }
}
