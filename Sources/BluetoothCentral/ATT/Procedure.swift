import BluetoothHost

/// What a procedure wants next.
enum ProcedureStep {
  /// Send this request and hand over its response.
  case request([UInt8])
  /// Nothing: it has what it was for.
  case done(OperationOutput)
  /// Nothing: it cannot have it.
  case failed(OperationError)

  /// A request that `body` writes. No request is longer than the MTU allows: the procedures cut
  /// their values to it.
  static func request(_ mtu: ATTMTU, _ body: (inout ByteWriter) -> Void) -> ProcedureStep {
    .request([UInt8].written(upTo: mtu.byteCount, body))
  }

  static func wrong(_ fault: ResponseFault) -> ProcedureStep {
    .failed(.wrongResponse(fault))
  }
}

/// A series of requests, each with the response that it waits for, which together carry out one
/// operation. A procedure never waits by itself, and always ends: each of its requests asks for
/// something that lies beyond the one before.
protocol Procedure {
  /// The first request.
  mutating func begin(_ mtu: ATTMTU) -> ProcedureStep
  /// Takes the parameters of the response to the last request.
  mutating func receive(_ parameters: Span<UInt8>, _ mtu: ATTMTU) -> ProcedureStep
  /// Takes an Error Response to the last request.
  mutating func receive(_ error: ErrorResponse, _ mtu: ATTMTU) -> ProcedureStep
}

extension Procedure {
  mutating func receive(_ error: ErrorResponse, _ mtu: ATTMTU) -> ProcedureStep {
    .failed(.refused(error))
  }
}

/// Core Specification, Vol 3, Part G, 4.3.1.
struct ExchangeMTUProcedure: Procedure {
  let offered: ATTMTU

  func begin(_ mtu: ATTMTU) -> ProcedureStep {
    .request(mtu) {
      ExchangeMTURequest(clientReceiveMTU: UInt16(offered.byteCount)).write(to: &$0)
    }
  }

  func receive(_ parameters: Span<UInt8>, _ mtu: ATTMTU) -> ProcedureStep {
    var reader = ByteReader(parameters)
    guard let response = ExchangeMTUResponse(&reader) else {
      return .wrong(.malformed(.exchangeMTUResponse))
    }
    return .done(.mtu(offered.agreed(with: response.serverReceiveMTU)))
  }

  func receive(_ error: ErrorResponse, _ mtu: ATTMTU) -> ProcedureStep {
    // A server without the request keeps to the MTU in force: 4.3.1.
    error.code == .requestNotSupported ? .done(.mtu(mtu)) : .failed(.refused(error))
  }
}
