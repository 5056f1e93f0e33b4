// The gate with a simulated gateway: a queue served at a known speed, with calls arriving at the pace each test chooses.
import { describe, expect, test } from 'bun:test';
import { Gate } from './gate.ts';

const rules = {
  delayMilliseconds: 100,
  mostWaiting: 1000,
  keptWaiting: 400,
  sustainedMilliseconds: 2000,
  mostCalls: 9000,
};
const tickMilliseconds = 50;
/** The client sends no second call while the first waits. */
const callers = 4000;

interface Second {
  admitted: number;
  refused: number;
  delayMilliseconds: number;
}

/** A refusal costs a tenth of what a call costs. */
class Gateway {
  readonly gate = new Gate(rules);
  readonly #servedPerSecond: number;
  #waiting = 0;

  constructor(servedPerSecond: number) {
    this.#servedPerSecond = servedPerSecond;
  }

  run(seconds: number, callsPerSecond: number): Second[] {
    const result: Second[] = [];
    for (let second = 0; second < seconds; second += 1) {
      const sum = { admitted: 0, refused: 0, delayMilliseconds: 0 };
      for (let tick = 0; tick < 1000 / tickMilliseconds; tick += 1) this.#tick(sum, callsPerSecond);
      result.push(sum);
    }
    return result;
  }

  #tick(sum: Second, callsPerSecond: number): void {
    const due = Math.round((callsPerSecond * tickMilliseconds) / 1000);
    const arrivals = Math.min(due, Math.max(0, callers - Math.ceil(this.#waiting)));
    let refused = 0;
    for (let call = 0; call < arrivals; call += 1) {
      if ((this.gate.left -= 1) < 0) refused += 1;
      else this.#waiting += 1;
    }
    sum.admitted += arrivals - refused;
    sum.refused += refused;
    const capacity = (this.#servedPerSecond * tickMilliseconds) / 1000 - refused / 10;
    this.#waiting = Math.max(0, this.#waiting - Math.max(0, capacity));
    const delayMilliseconds = (this.#waiting * 1000) / this.#servedPerSecond;
    sum.delayMilliseconds = Math.max(sum.delayMilliseconds, delayMilliseconds);
    this.gate.tick({ elapsedMilliseconds: tickMilliseconds, delayMilliseconds, calls: 0 });
  }
}

describe('the gate', () => {
  test('admits every call the gateway can serve', () => {
    const seconds = new Gateway(5000).run(20, 4900);
    expect(seconds.every(({ refused }) => refused === 0)).toBe(true);
  });

  test('D6 with five times the load it serves as many calls as it can in time, and refuses the rest', () => {
    const gateway = new Gateway(5000);
    gateway.run(5, 2500);
    const seconds = gateway.run(30, 25_000);
    const steady = seconds.slice(6);
    for (const { admitted, refused, delayMilliseconds } of steady) {
      // Twenty thousand refusals cost as much as two thousand calls.
      expect(admitted).toBeGreaterThan(2000);
      expect(refused).toBeGreaterThan(15_000);
      expect(delayMilliseconds).toBeLessThan(300);
    }
    expect(gateway.gate.state).toBe('slow');
  });

  test('D6 it admits every call seconds after the load ends, and at once for a load it can serve', () => {
    const gateway = new Gateway(5000);
    gateway.run(20, 25_000);
    const after = gateway.run(6, 1000);
    expect(after.slice(1).every(({ refused }) => refused === 0)).toBe(true);
    expect(gateway.gate.state).toBe('open');
  });

  test('a burst of any size is served, because it ends before the gate refuses', () => {
    const gateway = new Gateway(5000);
    const bursts = [gateway.run(1, 20_000), gateway.run(1, 0), gateway.run(1, 20_000)].flat();
    expect(bursts.every(({ refused }) => refused === 0)).toBe(true);
  });

  test('few calls are never refused, even on a slow machine', () => {
    const seconds = new Gateway(40).run(10, 50);
    expect(seconds.every(({ refused }) => refused === 0)).toBe(true);
    expect(Math.max(...seconds.map(({ delayMilliseconds }) => delayMilliseconds))).toBeGreaterThan(1000);
  });

  test('with as many running calls as descriptors allow, no more begin until some have ended', () => {
    const gate = new Gate({ ...rules, mostCalls: 10 });
    const begins = () => (gate.left -= 1) >= 0;
    const tick = (calls: number) =>
      gate.tick({ elapsedMilliseconds: tickMilliseconds, delayMilliseconds: 0, calls });
    tick(9);
    expect(begins()).toBe(true);
    tick(10);
    expect(gate.state).toBe('full');
    expect(begins()).toBe(false);
    tick(9);
    expect(gate.refused).toBe(1);
    expect(begins()).toBe(true);
  });

  test('refusals are answered together with the next tick, or when the measuring stops', async () => {
    const gate = new Gate({ ...rules, mostCalls: 0 });
    const answered: string[] = [];
    const waitForLook = async (who: string) => {
      await gate.nextLook;
      answered.push(who);
    };
    const first = [waitForLook('one'), waitForLook('another')];
    await Bun.sleep(1);
    expect(answered).toEqual([]);
    gate.tick({ elapsedMilliseconds: tickMilliseconds, delayMilliseconds: 0, calls: 0 });
    await Promise.all(first);
    const later = waitForLook('a third');
    expect(answered).toEqual(['one', 'another']);
    gate.endWait();
    await later;
    expect(answered).toEqual(['one', 'another', 'a third']);
  });

  test('refused callers get retry times of one to three seconds, not all the same', () => {
    const gate = new Gate(rules);
    const seconds = new Set(Array.from({ length: 200 }, () => gate.retryAfterSeconds));
    expect([...seconds].toSorted((one, other) => one - other)).toEqual([1, 2, 3]);
  });
});
