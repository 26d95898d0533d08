"""A page’s long timers, under the control of a test."""

#: Runs before the page. `timers.pass(ms)` calls the timers due within `ms` milliseconds.
SCRIPT = """{
  const set = window.setTimeout;
  const clear = window.clearTimeout;
  // Shorter timers run as usual: the page may need them.
  const LONG = 1000;
  const waiting = new Map();
  let now = 0;
  window.setTimeout = (call, delay = 0, ...values) => {
    if (delay < LONG) return set(call, delay, ...values);
    const timer = set(() => {}, 0);
    waiting.set(timer, {at: now + delay, call: () => call(...values)});
    return timer;
  };
  window.clearTimeout = (timer) => { waiting.delete(timer); clear(timer); };
  window.timers = {
    pass: (milliseconds) => {
      now += milliseconds;
      for (const [timer, {at, call}] of waiting) {
        if (at <= now) { waiting.delete(timer); call(); }
      }
    },
  };
}"""
