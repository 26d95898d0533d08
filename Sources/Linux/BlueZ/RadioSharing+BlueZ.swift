import BluetoothHost

#if !hasFeature(Embedded)
  extension RadioSharing {
    /// The way to an adapter that bluetoothd drives: see `BlueZRadio`. A program that does not name it does not contain
    /// its code.
    package static var bluez: RadioSharing {
      unsafe RadioSharing(
        open: { request, failure in
          guard let memory = unsafe clinux_map(MemoryLayout<BlueZRadio>.size) else { return nil }
          do throws(SystemCallError) {
            let radio = unsafe memory.initializeMemory(
              as: BlueZRadio.self, to: try BlueZRadio(adapter: request.adapter, at: request.time))
            unsafe radio.pointee.pairs = request.pairs
            return unsafe memory
          } catch {
            failure = error
            unsafe clinux_unmap(memory, MemoryLayout<BlueZRadio>.size)
            return nil
          }
        },
        end: { unsafe $0.radio.pointee.end() },
        close: {
          unsafe $0.radio.deinitialize(count: 1)
          unsafe clinux_unmap($0, MemoryLayout<BlueZRadio>.size)
        },
        number: { unsafe $0.radio.pointee.number },
        serve: { state, now in
          unsafe state.radio.pointee.serve(at: now)
          return unsafe state.radio.pointee.status
        },
        status: { unsafe $0.radio.pointee.status },
        export: { unsafe $0.radio.pointee.export($1, protection: $2) },
        read: { unsafe $0.radio.pointee.read(into: &$1, at: $2) },
        write: { unsafe $0.radio.pointee.write($1, at: $2) })
    }
  }

  extension UnsafeMutableRawPointer {
    /// The radio that `RadioSharing.bluez` has made here.
    fileprivate var radio: UnsafeMutablePointer<BlueZRadio> {
      unsafe assumingMemoryBound(to: BlueZRadio.self)
    }
  }
#endif

extension BlueZRadio {
  var status: RadioSharing.Status {
    RadioSharing.Status(isOpen: isOpen, deadline: deadline, failure: failure)
  }
}
