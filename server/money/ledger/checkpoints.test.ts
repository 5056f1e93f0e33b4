import { expect, test } from 'bun:test';
import type { ProgressNote } from './backend.ts';
import { createCheckpoints } from './checkpoints.ts';
import type { Checkpoint } from './ledger.ts';
import { RunningCall } from './running-call.ts';

const call = (requestId: string) =>
  new RunningCall({
    requestId,
    userId: 1,
    tokenId: 0,
    amount: 100,
    limits: { tokens: 0 },
    snapshot: { price: { model: requestId } as never, log: () => ({ type: 2 }) },
    expiresAt: 0,
  });

const checkpoint = (quota: number): Checkpoint => ({
  quota,
  promptTokens: 0,
  completionTokens: quota,
  channelId: 0,
});

/** Answers writes by what the test gives: a value, or an error to throw. */
function createBackend(answers: (boolean | Error)[]) {
  const written: ProgressNote['operation'][][] = [];
  return {
    written,
    async noteProgress(notes: readonly ProgressNote[]): Promise<boolean> {
      written.push(notes.map(({ operation }) => operation));
      const answer = answers.shift() ?? true;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

test.each([['an error', new Error('lost')] as const, ['an outage', false] as const])(
  'a snapshot whose write failed by %s is in the next write, with the newest checkpoint',
  async (_, answer) => {
    const backend = createBackend([answer]);
    const checkpoints = createCheckpoints(backend, () => {});
    const running = call('a');
    checkpoints.note('a', running, checkpoint(5));
    await Bun.sleep(200);
    checkpoints.note('a', running, checkpoint(9));
    checkpoints.note('a', running, undefined);
    await checkpoints.close();
    const [first, second] = backend.written.map(([note]) => note);
    expect(first).toMatchObject({ requestId: 'a', checkpoint: checkpoint(5) });
    expect(first?.snapshot).toContain('"model":"a"');
    expect(second).toEqual({ ...first, checkpoint: checkpoint(9) } as never);
    expect(backend.written).toHaveLength(2);
  },
);

test('a checkpoint that came while an older one could not be written replaces it (M21)', async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const written: ProgressNote['operation'][][] = [];
  const checkpoints = createCheckpoints(
    {
      noteProgress(notes) {
        const count = written.push(notes.map(({ operation }) => operation));
        return count === 1 ? promise : Promise.resolve(true);
      },
    },
    () => {},
  );
  const running = call('a');
  checkpoints.note('a', running, checkpoint(5));
  while (written.length === 0) await Bun.sleep(5);
  checkpoints.note('a', running, checkpoint(9));
  resolve(false);
  await promise;
  while (written.length === 1) await Bun.sleep(5);
  await checkpoints.close();
  expect(written[1]).toEqual([
    {
      kind: 'noteProgress',
      requestId: 'a',
      checkpoint: checkpoint(9),
      // The failed write had taken the snapshot of the call.
      snapshot: expect.stringContaining('"model":"a"') as never,
    },
  ]);
});

test('a call that ended while its note was being written leaves nothing to write again', async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const written: number[] = [];
  const checkpoints = createCheckpoints(
    { noteProgress: (notes) => (written.push(notes.length) === 1 ? promise : Promise.resolve(true)) },
    () => {},
  );
  checkpoints.note('a', call('a'), undefined);
  checkpoints.note('b', call('b'), undefined);
  await Bun.sleep(200);
  checkpoints.forget('a');
  resolve(false);
  await promise;
  await checkpoints.close();
  expect(written).toEqual([2, 1]);
});

test('a call that ended before its note was written writes none', async () => {
  const backend = createBackend([]);
  const checkpoints = createCheckpoints(backend, () => {});
  checkpoints.note('a', call('a'), checkpoint(5));
  checkpoints.note('b', call('b'), checkpoint(6));
  checkpoints.forget('a');
  await checkpoints.close();
  expect(backend.written.map((notes) => notes.map(({ requestId }) => requestId))).toEqual([['b']]);
});

test('a note that comes while others are being written waits for them', async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const written: string[][] = [];
  const checkpoints = createCheckpoints(
    {
      noteProgress: (notes) => {
        written.push(notes.map(({ operation }) => operation.requestId));
        return written.length === 1 ? promise : Promise.resolve(true);
      },
    },
    () => {},
  );
  checkpoints.note('a', call('a'), checkpoint(5));
  await Bun.sleep(200);
  checkpoints.note('b', call('b'), checkpoint(6));
  await Bun.sleep(200);
  expect(written).toEqual([['a']]);
  resolve(true);
  await Bun.sleep(300);
  expect(written).toEqual([['a'], ['b']]);
  await checkpoints.close();
});

test('a call that goes on as another model’s replaces its snapshot once, and a later note leaves it', async () => {
  const backend = createBackend([]);
  const checkpoints = createCheckpoints(backend, () => {});
  const running = call('first');
  const noted = async (quota: number) => {
    checkpoints.note('first', running, checkpoint(quota));
    await Bun.sleep(200);
  };
  await noted(1);
  running.renew({ price: { model: 'second' } as never, log: () => ({ type: 2 }) });
  await noted(2);
  await noted(3);
  await checkpoints.close();
  const [first, second, third] = backend.written.map(([note]) => note);
  expect(first).toMatchObject({ snapshot: '{"price":{"model":"first"},"log":{"type":2}}' });
  expect(first).not.toHaveProperty('renews');
  expect(second).toMatchObject({ snapshot: '{"price":{"model":"second"},"log":{"type":2}}', renews: true });
  expect(third).toMatchObject({ snapshot: '', checkpoint: checkpoint(3) });
  expect(third).not.toHaveProperty('renews');
});
