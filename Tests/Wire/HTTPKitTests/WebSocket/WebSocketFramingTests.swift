import NIOCore
import NIOWebSocket
import Testing

@testable import HTTPKit

@Suite("WebSocket handshake")
struct WebSocketHandshakeTests {
  @Test("the key is answered as RFC 6455 has it")
  func accept() {
    #expect(WebSocketHandshake.accept(for: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }
}

@Suite("WebSocket message assembler")
struct WebSocketMessageAssemblerTests {
  private func frame(_ opcode: WebSocketOpcode, _ text: String, fin: Bool = true) -> WebSocketFrame {
    WebSocketFrame(fin: fin, opcode: opcode, maskKey: [0, 0, 0, 0], data: ByteBuffer(string: text))
  }

  @Test("fragments become one message")
  func fragments() throws {
    var assembler = WebSocketMessageAssembler(bytesMaximum: 10, fragmentsMaximum: 3)
    #expect(try assembler.add(frame(.text, "whole")).map { String(buffer: $0) } == "whole")
    #expect(try assembler.add(frame(.text, "a", fin: false)) == nil)
    #expect(try assembler.add(frame(.continuation, "b", fin: false)) == nil)
    #expect(try assembler.add(frame(.continuation, "c")).map { String(buffer: $0) } == "abc")
    #expect(try assembler.add(frame(.text, "next")).map { String(buffer: $0) } == "next")
  }

  @Test("violations have their close code")
  func violations() throws {
    func code(_ frames: WebSocketFrame...) -> WebSocketErrorCode? {
      var assembler = WebSocketMessageAssembler(bytesMaximum: 4, fragmentsMaximum: 2)
      do throws(WebSocketMessageAssembler.Violation) {
        for frame in frames { _ = try assembler.add(frame) }
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code(frame(.continuation, "a")) == .protocolError)
    #expect(code(frame(.text, "a", fin: false), frame(.text, "b")) == .protocolError)
    #expect(code(frame(.binary, "a")) == .unacceptableData)
    #expect(code(frame(.text, "abc", fin: false), frame(.continuation, "de")) == .messageTooLarge)
    #expect(
      code(frame(.text, "", fin: false), frame(.continuation, "", fin: false), frame(.continuation, ""))
        == .policyViolation)
  }
}
