import BluetoothHost
import EightBall

// The control socket: sends the state to new listeners, carries out requests, and sends changes. A
// ball whose port has no socket contains none of this.
#if !WORDS_FOR_PEOPLE_ONLY
  extension ProtectedBallRunner where Machine: ~Copyable, Security: ~Copyable {
    /// Handles the events of the socket.
    @inline(never) mutating func serveListeners() {
      // Waiting events are older than the state of a new listener.
      ball.printer.sendWatched(to: &port, nil)
      var request = ByteBuffer<128>()
      while let event = port.nextControlEvent(into: &request) {
        switch event {
        case .joined(let listener): sendState(to: listener)
        case .request(let listener):
          if Machine.Metrics.isPresent, ControlRequest(request.span) == .figures {
            sendFigures(to: listener)
            continue
          }
          send(.reply(obey(request.span, of: listener)), to: listener, of: nil, request.span)
        case .left(let listener):
          _ = release(.shake, of: listener)
          _ = release(.clear, of: listener)
        }
      }
      ball.printer.isWatched = port.hasListeners
    }

    /// Sends the events of this turn.
    @inline(never) mutating func sendChanges() {
      if port.hasPanel, lightsHaveChanged() { ball.printer.watch(.lights(lights)) }
      ball.printer.sendWatched(to: &port, nil)
    }

    // MARK: The state

    private mutating func sendState(to listener: Int) {
      ball.printer.watchBall(on: port, links: links)
      ball.printer.sendWatched(to: &port, listener)
      sendRadio(to: listener)
      for connectionIndex in 0..<links {
        guard let central = ball.host.server.withApplication({ $0.address(at: connectionIndex) })
        else { continue }
        let isListening = ball.host.server.withApplication { $0.isListening(at: connectionIndex) }
        send(
          .event(.connected(connectionIndex: connectionIndex, address: central)), to: listener,
          of: central, Span())
        if isListening {
          send(
            .event(.subscribed(connectionIndex: connectionIndex, true)), to: listener, of: central,
            Span())
        }
      }
      if let answer = ball.answer {
        send(.event(.answered(connectionIndex: 0, answer)), to: listener)
      }
      if port.hasPanel {
        _ = lightsHaveChanged()
        send(.lights(lights), to: listener)
      }
      send(.current, to: listener)
    }

    private mutating func sendRadio(to listener: Int) {
      let state: StaticString
      switch ball.host.radio {
      case .advertising:
        let name = ball.printer.name
        return send(.advertising(ball.host.address), to: listener, of: nil, name.span)
      case .silent: state = "ready"
      case .fault: state = "lost"
      case .starting: state = ball.printer.isRadioLost ? "lost" : "starting"
      }
      send(.state("radio", state), to: listener)
    }

    /// Reads the lights; `true` if they have changed since the last time.
    private mutating func lightsHaveChanged() -> Bool {
      let now = ShownLights(
        status: port.has(.status) ? ball.panel.panel.isLit(.status) : nil,
        answer: port.has(.answer) ? ball.panel.panel.isLit(.answer) : nil)
      defer { lights = now }
      return lights != now
    }

    // MARK: Requests

    /// Carries out the request in `line`; returns why it refuses it, or `nil`.
    private mutating func obey(_ line: Span<UInt8>, of listener: Int) -> ControlRequestError? {
      switch ControlRequest(line) {
      case nil: return .unknown
      case .figures: return .noMetrics
      case .packets(let isWanted):
        port.sendPackets(isWanted, to: listener)
        return nil
      case .down(let button): return press(button, for: listener)
      case .up(let button): return release(button, of: listener)
      }
    }

    private mutating func press(_ button: ButtonName, for listener: Int) -> ControlRequestError? {
      guard port.hasPanel else { return .noBoard }
      guard port.allowsRemoteButtons else { return .notAllowed }
      guard holders[button] == nil else { return .isDown(button) }
      switch port.press(button, isDown: true) {
      case .done:
        holders[button] = listener
        return nil
      case .noButton: return .noButton(button)
      case .noLines: return .noLines
      case .isDown: return .isDown(button)
      }
    }

    private mutating func release(_ button: ButtonName, of listener: Int) -> ControlRequestError? {
      guard holders[button] == listener else { return .isNotHeld(button) }
      holders[button] = nil
      _ = port.press(button, isDown: false)
      return nil
    }

    // MARK: Support

    @inline(never) private mutating func send(_ line: BallLine, to listener: Int) {
      send(line, to: listener, of: nil, Span())
    }

    @inline(never) private mutating func send(
      _ line: BallLine, to listener: Int, of central: DeviceAddress?, _ text: Span<UInt8>
    ) {
      ball.printer.watch(line, of: central, text)
      ball.printer.sendWatched(to: &port, listener)
    }
  }

  extension BallPrinter {
    /// Adds the object that identifies the ball.
    fileprivate mutating func watchBall<Machine: Port & ~Copyable>(
      on port: borrowing Machine, links: Int
    ) {
      let name = self.name
      watch { writer in
        writer.beginJSON("ball")
        writer.beginText("version")
        port.writeVersion(to: &writer)
        writer.endText()
        writer.add("name", utf8: name.span)
        var text = ByteBuffer<320>()
        text.write { port.writeRadioName(to: &$0) }
        writer.add("radio", utf8: text.span)
        writer.beginText("board")
        port.writeBoardName(to: &writer)
        writer.endText()
        writer.add("connections", links)
        writer.add("presses", port.hasPanel && port.allowsRemoteButtons)
        writer.endJSON()
      }
    }
  }

  /// The last lights that listeners received; `nil` for one that the board lacks.
  struct ShownLights: Equatable {
    var status: Bool?
    var answer: Bool?
  }

  /// Which listener holds each button down.
  struct ButtonHolders {
    private var shake: Int?
    private var clear: Int?

    subscript(button: ButtonName) -> Int? {
      get { button == .shake ? shake : clear }
      set { if button == .shake { shake = newValue } else { clear = newValue } }
    }
  }
#endif
