import Foundation
import ProcessControl

extension ServerProcess {
  /// The addresses, in the kernel's hexadecimal spelling, that this port is listened on.
  func listeningAddresses() throws -> Set<String> {
    let wanted = String(port, radix: 16, uppercase: true)
    let port = String(repeating: "0", count: 4 - wanted.count) + wanted
    var addresses: Set<String> = []
    for file in ["/proc/net/tcp", "/proc/net/tcp6"] {
      // Without IPv6 there is no such file.
      guard let table = try? String(contentsOfFile: file, encoding: .utf8) else { continue }
      for line in table.split(separator: "\n").dropFirst() {
        let fields = line.split(separator: " ")
        guard fields.count > 3, fields[3] == "0A" else { continue }
        let parts = fields[1].split(separator: ":")
        if parts.count == 2, parts[1] == port { addresses.insert(String(parts[0])) }
      }
    }
    return addresses
  }

  /// Resident memory in KiB.
  func residentKiB() throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process?.pid ?? 0)/status", encoding: .utf8)
    guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
      let number = line.split(separator: " ").compactMap({ Int($0) }).first
    else { throw EndToEndFailure("no VmRSS in /proc") }
    return number
  }

  /// The sum of all series of one metric.
  func metric(_ name: String) async throws -> Double {
    let text = try await wire().get("/metrics").text
    var sum: Double?
    for line in text.split(separator: "\n") where line.hasPrefix(name) {
      let rest = line.dropFirst(name.count)
      guard rest.first == " " || rest.first == "{", let value = line.split(separator: " ").last.flatMap({ Double($0) })
      else { continue }
      sum = (sum ?? 0) + value
    }
    guard let sum else { throw EndToEndFailure("there is no metric \(name) in:\n\(text)") }
    return sum
  }
}
