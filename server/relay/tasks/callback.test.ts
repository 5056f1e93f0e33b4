// Callbacks of upstreams: only with the proof of their task, and they only make the poller ask.
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'bun:test';
import { createVault } from '#server/platform/store/vault.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { pictureAddress, reportAddress, videoAddress } from './drawing/addresses.ts';
import { receiveCallback as receiveDrawing } from './drawing/notify.ts';
import { propertiesText } from './drawing/report.ts';
import { callbackAddress, receiveCallback } from './callback.ts';
import type { TaskParts } from './parts.ts';
import type { Poller } from './poll.ts';
import type { Task } from './rows.ts';

const vault = createVault(randomBytes(32));
const SITE = 'https://gate.example/';

function world(tasks: Partial<Task>[], settings: object = {}) {
  const looked: number[] = [];
  const changed: unknown[][] = [];
  const core = {
    store: { vault },
    settings: { current: { ServerAddress: SITE, MjNotifyEnabled: true, ...settings } },
  } as unknown as Core;
  const parts = {
    core,
    rows: {
      find: async (id: number) => tasks.find((task) => task.id === id),
      change: async (...change: unknown[]) => changed.push(change),
    },
  } as unknown as TaskParts;
  const poller = {
    look: async (list: Task[]) => void looked.push(...list.map(({ id }) => id)),
  } as unknown as Poller;
  const incoming = (body: unknown = {}) =>
    ({
      requestId: 'r',
      request: new Request('http://x/', { method: 'POST', body: JSON.stringify(body) }),
      connection: { timeout: () => {} },
      seconds: { unsized: 1 },
    }) as unknown as Incoming;
  return { core, parts, poller, incoming, looked, changed };
}

async function outcome(call: Promise<Response>): Promise<unknown> {
  try {
    return await (await call).json();
  } catch (error) {
    return error instanceof RelayError ? error.code : error;
  }
}

const task = { id: 12, hold_id: 'hold-1', platform: 'video', status: 'IN_PROGRESS', task_id: 't-1' };
const proofIn = (address = '') => address.split('/').at(-1) ?? '';

describe('a callback of music or videos', () => {
  test('has an address while upstreams can reach the site', () => {
    const { core } = world([]);
    expect(callbackAddress(core, 'video', task)).toMatch(
      /^https:\/\/gate\.example\/v1\/video\/notify\/12\.[\da-f]{32}$/,
    );
    expect(callbackAddress(core, 'suno', task)).toMatch(
      /^https:\/\/gate\.example\/suno\/notify\/12\.[\da-f]{32}$/,
    );
    expect(proofIn(callbackAddress(core, 'suno', task))).not.toBe(
      proofIn(callbackAddress(core, 'video', task)),
    );
    const other = { ...task, hold_id: 'hold-2' };
    expect(proofIn(callbackAddress(core, 'video', other))).not.toBe(
      proofIn(callbackAddress(core, 'video', task)),
    );
    for (const ServerAddress of ['', 'http://localhost:3000', 'no address'])
      expect(callbackAddress(world([], { ServerAddress }).core, 'video', task)).toBeUndefined();
  });

  test('makes the poller ask for a task that runs, once it is known upstream', async () => {
    for (const [more, looks] of [
      [{}, [12]],
      [{ status: 'SUCCESS' }, []],
      [{ task_id: '' }, []],
    ] as const) {
      const { core, parts, poller, incoming, looked } = world([{ ...task, ...more }]);
      const address = proofIn(callbackAddress(core, 'video', task));
      expect(await outcome(receiveCallback(parts, poller, incoming(), 'video', address))).toEqual({
        code: 0,
      });
      expect(looked).toEqual([...looks]);
    }
  });

  test('without the proof of this task of this platform is of no task', async () => {
    const { core, parts, poller, incoming, looked } = world([task, { ...task, id: 13, hold_id: 'hold-2' }]);
    const proof = proofIn(callbackAddress(core, 'video', task));
    const wrong = [proof.replace('12.', '13.'), proof.replace('12.', '14.'), `${proof}0`, '12.', 'x'];
    for (const address of [...wrong, proofIn(callbackAddress(core, 'suno', task))])
      expect(await outcome(receiveCallback(parts, poller, incoming(), 'video', address))).toBe(
        'task_unknown',
      );
    expect(await outcome(receiveCallback(parts, poller, incoming(), 'suno', proof))).toBe('task_unknown');
    expect(looked).toEqual([]);
  });
});

describe('a callback of drawings', () => {
  const drawing = { ...task, platform: 'midjourney' };
  const settings = { ServerAddress: SITE, MjNotifyEnabled: true };
  const address = proofIn(reportAddress(vault, settings, drawing));
  const call = async (known: Partial<Task>[], body: unknown, more: object = {}, to = address) => {
    const { parts, poller, incoming, looked, changed } = world(known, more);
    return [await outcome(receiveDrawing(parts, poller, incoming(body), to)), looked, changed];
  };
  const ok = { code: 1, description: 'ok' };

  test('has an address while callbacks are on', () => {
    expect(reportAddress(vault, settings, drawing)).toMatch(
      /^https:\/\/gate\.example\/mj\/notify\/12\.[\da-f]{32}$/,
    );
    expect(reportAddress(vault, { ...settings, MjNotifyEnabled: false }, drawing)).toBeUndefined();
    expect(reportAddress(vault, { ...settings, ServerAddress: '' }, drawing)).toBeUndefined();
  });

  test('makes the poller ask for the drawing that it names', async () => {
    expect(await call([drawing], { id: 't-1' })).toEqual([ok, [12], []]);
    expect(await call([drawing], { id: 't-2' })).toEqual([ok, [], []]);
    expect(await call([{ ...drawing, status: 'FAILURE' }], { id: 't-1' })).toEqual([ok, [], []]);
    expect(await call([drawing], {})).toEqual([ok, [], []]);
  });

  test('names a drawing whose submission was cut', async () => {
    const cut = () => [{ ...drawing, task_id: '' }];
    const named = (id: string) => [[12, { task_id: id, status: 'SUBMITTED' }]];
    expect(await call(cut(), { id: 't-2' })).toEqual([ok, [12], named('t-2')]);
    const longest = 'x'.repeat(128);
    expect(await call(cut(), { id: longest })).toEqual([ok, [12], named(longest)]);
    for (const id of [`${longest}x`, 'a b', ' a', 'a?'])
      expect(await call(cut(), { id })).toEqual([ok, [], []]);
  });

  test('without its proof, or while callbacks are off, is of no task', async () => {
    expect(await call([drawing], { id: 't-1' }, { MjNotifyEnabled: false })).toEqual([
      'task_unknown',
      [],
      [],
    ]);
    expect(await call([], { id: 't-1' })).toEqual(['task_unknown', [], []]);
    expect(await call([drawing], { id: 't-1' }, {}, `12.${'0'.repeat(32)}`)).toEqual([
      'task_unknown',
      [],
      [],
    ]);
  });
});

test('a drawing is shown at our address where the site or its token says so', () => {
  const urls = (
    isForwarded: boolean,
    MjForwardUrlEnabled: boolean,
    result_url = 'https://up.example/1.png',
  ) => {
    const known = propertiesText({ isForwarded, videoUrl: result_url && 'https://up.example/1.mp4' });
    const row = { ...task, user_id: 7, task_id: 'a/1', result_url, properties: known } as unknown as Task;
    const settings = { MjForwardUrlEnabled, ServerAddress: SITE };
    return [pictureAddress(vault, settings, row), videoAddress(vault, settings, row)];
  };
  expect(urls(false, false)).toEqual(['https://up.example/1.png', 'https://up.example/1.mp4']);
  for (const [ofToken, ofSite] of [
    [true, false],
    [false, true],
  ] as const)
    expect(urls(ofToken, ofSite)).toEqual([
      expect.stringMatching(/^https:\/\/gate\.example\/mj\/image\/a%2F1\?key=[\da-f]+$/),
      expect.stringMatching(/^https:\/\/gate\.example\/media\/12\/video-0\?key=[\da-f]+$/),
    ]);
  expect(urls(true, true, '')).toEqual(['', '']);
});
