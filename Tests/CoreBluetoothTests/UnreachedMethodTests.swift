import Expectations
import Foundation

@testable import CoreBluetooth

/// The shape of libraries whose subclasses add optional methods.
private class Base: NSObject, CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {}
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}
}

private class Late: Base {
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    error: (any Error)?
  ) {}
  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {}
  /// Not a method of the protocol.
  func centralManager(_ central: CBCentralManager, didFail count: Int) {}
}

private final class Later: Late {
  override func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    error: (any Error)?
  ) {}
}

private final class Overriding: Base {
  override func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}
}

final class GenericLate<Value>: ConformingPeripheral {
  var value: Value?
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {}
}

class ConformingPeripheral: NSObject, CBPeripheralDelegate {}

/// Conforms by itself, although its superclass has the method.
private class Plain: NSObject {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {}
}

private final class Conforming: Plain, CBCentralManagerDelegate {
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}
}

@Suite("Methods of delegates that are never called")
struct UnreachedMethodTests {
  private func line(about delegate: AnyObject) -> String? {
    UnreachedMethods.line(about: delegate, for: "CBCentralManagerDelegate") {
      $0 is any CBCentralManagerDelegate.Type
    }
  }

  /// Symptom: a subclass lost every disconnection, silently.
  @Test("are named with the class that lacks them, and the remedy")
  func late() throws {
    let methods =
      "centralManager(_:didDisconnectPeripheral:error:), centralManager(_:willRestoreState:)"
    for (delegate, name) in [(Late(), "Late"), (Later(), "Later")] {
      expect(
        line(about: delegate),
        is: "\(name) is a CBCentralManagerDelegate by its superclass Base, which lacks \(methods): "
          + "on Linux these methods are never called. Declare them in Base, empty if need be, and "
          + "override them in the subclass")
    }
  }

  @Test("are found in a generic class, and for another protocol")
  func generic() throws {
    let line = UnreachedMethods.line(
      about: GenericLate<Int>(), for: "CBPeripheralDelegate"
    ) { $0 is any CBPeripheralDelegate.Type }
    expect(try #require(line).contains("lacks peripheral(_:didDiscoverServices:):"))
  }

  @Test("are none in a class that overrides, or that conforms by itself")
  func none() {
    expect(line(about: Base()), is: nil)
    expect(line(about: Overriding()), is: nil)
    expect(line(about: Conforming()), is: nil)
    expect(line(about: Log()), is: nil)
  }

  @Test("cannot be found in a program without symbols, nor in what is no program")
  func withoutSymbols() {
    expect(ProgramSymbols(path: "/dev/null") == nil)
    expect(ProgramSymbols(path: "/nothing") == nil)
    expect(ProgramSymbols.names(in: Data()), is: nil)
  }

  @Test("are written as Swift writes them")
  func selectors() {
    for (method, selector) in [
      ("a() -> ()", "a()"), ("a(_: Swift.Int) -> ()", "a(_:)"),
      ("a(_: M.C, b: [Swift.String : Any], c: Swift.Error?) -> ()", "a(_:b:c:)"),
    ] { expect(ProgramSymbols.selector(method), is: selector) }
    expect(ProgramSymbols.plain("M.(C in _0A1F).a() -> ()"), is: "M.C.a() -> ()")
    expect(ProgramSymbols.plain("M.(unknown context at $55).C<Swift.Int>"), is: "M.C")
  }
}
