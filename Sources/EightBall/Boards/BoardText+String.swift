#if !hasFeature(Embedded)
  // For programs with a heap.
  extension BoardText: CustomStringConvertible {
    /// `text`; `nil` if it does not fit.
    public init?(_ text: String) {
      self.init(text.utf8.span)
    }

    /// The text.
    public var description: String {
      String(decoding: (0..<count).map { storage[$0] }, as: UTF8.self)
    }
  }

  extension BoardPart: CaseIterable, CustomStringConvertible {
    /// All parts, in the order of a board's file.
    public static var allCases: [BoardPart] { all.indices.map { all[$0] } }

    /// Its name in a board's file.
    public var description: String { name.description }
  }
#endif
