import { expect, test } from 'bun:test';
import { readCharge } from './charge.ts';

const usage = { prompt: 7, cached: 0, completion: 3 };
const atOnce = () => Promise.resolve();

test('O30: the charge of a stopped answer is read until its log row is there', async () => {
  let reads = 0;
  const read = async () => {
    reads += 1;
    if (reads === 1) throw new Error('offline');
    return reads < 3 ? undefined : { quota: 42, usage };
  };
  expect(await readCharge(read, atOnce)).toEqual({ quota: 42, usage });
  expect(reads).toBe(3);
});

test('O30: without a row there is no charge to show', async () => {
  expect(await readCharge(async () => undefined, atOnce)).toBeUndefined();
});
