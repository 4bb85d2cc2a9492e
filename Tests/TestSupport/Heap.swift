import Foundation

/// What the process has asked the C library's allocator for and not given back.
public enum Heap {
  public static var bytesInUse: Int {
    // `malloc_info` is not in the module that Swift makes of the C library's headers.
    typealias Report = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
    var text: UnsafeMutablePointer<CChar>?
    var count = 0
    guard let symbol = dlsym(nil, "malloc_info"), let stream = open_memstream(&text, &count) else {
      fatalError("the allocator does not say what it has given out")
    }
    _ = unsafeBitCast(symbol, to: Report.self)(0, stream)
    fclose(stream)
    defer { free(text) }
    guard let text else { fatalError("the allocator says nothing") }
    // The sums over all arenas stand behind the last of them.
    let report = String(cString: text)
    let sums = report.components(separatedBy: "</heap>").last ?? ""
    func size(_ element: String) -> Int {
      sums.components(separatedBy: "\n").filter { $0.hasPrefix(element) }.reduce(0) { sum, line in
        let digits = line.components(separatedBy: "size=\"").last?.prefix { $0.isNumber } ?? ""
        return sum + (Int(digits) ?? 0)
      }
    }
    return size("<system type=\"current\"") - size("<total type=\"fast\"") - size("<total type=\"rest\"")
      + size("<total type=\"mmap\"")
  }
}
