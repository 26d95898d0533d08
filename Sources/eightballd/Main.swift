import Linux
import LinuxPort

#if hasFeature(Embedded)
  /// The program's beginning.
  @c(main)
  public func main(
    count: Int32, arguments: UnsafePointer<UnsafePointer<CChar>?>?
  ) -> Int32 {
    Daemon.run(unsafe ArgumentList(arguments)).rawValue
  }
#else
  /// The program's beginning.
  @main
  enum Program {
    static func main() {
      let arguments = unsafe UnsafeRawPointer(CommandLine.unsafeArgv)
        .assumingMemoryBound(to: UnsafePointer<CChar>?.self)
      clinux_end(Daemon.run(unsafe ArgumentList(arguments)).rawValue)
    }
  }
#endif
