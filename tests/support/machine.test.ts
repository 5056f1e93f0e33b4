import { expect, test } from 'bun:test';
import { slowness, startPatience } from './machine.ts';

test('the machine is measured: at least as slow as a quiet one, and not without end (R21)', () => {
  expect(slowness()).toBeGreaterThanOrEqual(1);
  expect(slowness()).toBeLessThanOrEqual(8);
});

test('patience lasts as many times longer as the machine is slower, and measures only when the time is up (R21)', () => {
  let time = 0;
  let measurements = 0;
  const isOver = startPatience(
    1000,
    () => time,
    () => {
      measurements += 1;
      return 3;
    },
  );
  time = 1000;
  expect([isOver(), measurements]).toEqual([false, 0]);
  time = 2999;
  expect([isOver(), measurements]).toEqual([false, 1]);
  time = 3001;
  expect(isOver()).toBe(true);
});
