import Glibc

/// SQLite's library as the system has it, found when it is asked for: nothing is linked, nobody has to have it.
struct SQLiteLibrary: Sendable {
  typealias Open =
    @convention(c) @Sendable (UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>, Int32, UnsafePointer<CChar>?)
    -> Int32
  typealias Execute =
    @convention(c) @Sendable (
      OpaquePointer, UnsafePointer<CChar>, UnsafeRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?
    )
    -> Int32
  typealias Prepare =
    @convention(c) @Sendable (
      OpaquePointer, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<OpaquePointer?>, UnsafeRawPointer?
    ) -> Int32
  typealias BindInteger = @convention(c) @Sendable (OpaquePointer, Int32, Int64) -> Int32
  typealias BindBlob =
    @convention(c) @Sendable (OpaquePointer, Int32, UnsafeRawPointer, Int32, UnsafeRawPointer?) -> Int32
  typealias OneArgument = @convention(c) @Sendable (OpaquePointer) -> Int32
  typealias BusyTimeout = @convention(c) @Sendable (OpaquePointer, Int32) -> Int32

  let open: Open
  let execute: Execute
  let prepare: Prepare
  let bindInteger: BindInteger
  let bindBlob: BindBlob
  let step: OneArgument
  let reset: OneArgument
  let finalize: OneArgument
  let close: OneArgument
  let setBusyTimeout: BusyTimeout

  /// - Throws: `BenchError` if the system has none.
  init() throws {
    guard let library = dlopen("libsqlite3.so.0", RTLD_NOW) else {
      throw BenchError("no libsqlite3.so.0: install the package libsqlite3-0")
    }
    func symbol<Function>(_ name: String) throws -> Function {
      guard let address = dlsym(library, "sqlite3_" + name) else { throw BenchError("SQLite has no \(name)") }
      return unsafeBitCast(address, to: Function.self)
    }
    open = try symbol("open_v2")
    execute = try symbol("exec")
    prepare = try symbol("prepare_v2")
    bindInteger = try symbol("bind_int64")
    bindBlob = try symbol("bind_blob")
    step = try symbol("step")
    reset = try symbol("reset")
    finalize = try symbol("finalize")
    close = try symbol("close_v2")
    setBusyTimeout = try symbol("busy_timeout")
  }
}
