// Measures "within a second" on a machine with other work: only time in which this process could run is counted. The gateway,
// the caller and the upstream of a test share a process, so a starved process delays all of them alike.

const tickMilliseconds = 10;

export interface RunClock extends Disposable {
  /**
   * Milliseconds between two values of `Date.now`, as a count of timers that fired. Each timer is set after the one before it
   * fired, so a wait of the gateway for a timer or for a peer counts in full, and a turn of the event loop that the machine
   * delayed counts as one tick. It does not measure work that blocks the event loop.
   */
  between(from: number, to: number): number;
}

export function startRunClock(): RunClock {
  const ticks: number[] = [];
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => {
    timer = setTimeout(() => {
      ticks.push(Date.now());
      wait();
    }, tickMilliseconds);
  };
  wait();
  return {
    between: (from, to) => ticks.filter((at) => at > from && at <= to).length * tickMilliseconds,
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
