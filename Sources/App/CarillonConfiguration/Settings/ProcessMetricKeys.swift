package import Engine

/// What the process as a whole shows operators, under the names that all of Prometheus' clients use.
package struct ProcessMetricKeys: MetricTable {
  package static let keys = ProcessMetricKeys()

  package let build = MetricKey("carillon_build_info", "1; its labels say the version and the compiler of this server.")
  package let cpu = MetricKey(
    "process_cpu_seconds_total", "User and system time that the process has used, in seconds.")
  package let residentMemory = MetricKey(
    "process_resident_memory_bytes", "Memory of the process that is resident, in bytes.")
  package let openFiles = MetricKey("process_open_fds", "File descriptors that the process has open, sockets included.")
  package let openFilesMaximum = MetricKey("process_max_fds", "File descriptors that the process may have open.")
  package let start = MetricKey("process_start_time_seconds", "When the process began, in seconds since 1970.")

  package init() {}
}
