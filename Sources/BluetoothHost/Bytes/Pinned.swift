/// A field of one byte that keeps its struct in place.
///
/// The compiler may move a struct of kilobytes as a value: a read of one field can copy all of it,
/// and a span of its storage can then refer to the copy. A field of raw layout cannot be loaded as
/// a value, so neither can a struct that contains it. (Measured with Swift 6.3.1: without this,
/// one question took 17,700 instructions, nearly all of them in `memcpy`.)
@_rawLayout(size: 1, alignment: 1)
struct Pinned: ~Copyable {
  init() {}
  deinit {}
}
