import { expect, test } from 'bun:test';
import type { Tiers } from './catalog.ts';
import { createWarmChannels } from './warm-channels.ts';

const HOUR = 60 * 60 * 1000;
const none = new Headers();
const said = (...texts: string[]) => ({
  messages: texts.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
});

function book() {
  const clock = { now: 1000, isOn: true };
  const warm = createWarmChannels(
    () => clock.isOn,
    () => clock.now,
  );
  const name = (userId: number, model: string, fields: object, headers: Headers = none) =>
    warm.name(userId, model, headers, { ...fields });
  return { clock, warm, name };
}

test('a call that carries an earlier answer finds the channel that answered last', () => {
  const { warm, name } = book();
  const first = name(1, 'm', said('hi'));
  warm.note(first, 7);
  const next = said('hi', 'hello', 'go on');
  expect(name(1, 'm', next)).toBe(first);
  expect(warm.find(first, next)).toBe(7);
  warm.note(first, 8);
  expect(warm.find(first, next)).toBe(8);
  // The same beginning again is a new conversation.
  expect(warm.find(first, said('hi'))).toBeUndefined();
});

test('conversations of another user, model or beginning have another name', () => {
  const { name } = book();
  const names = [
    name(1, 'm', said('hi')),
    name(2, 'm', said('hi')),
    name(1, 'n', said('hi')),
    name(1, 'm', said('ho')),
    name(1, 'm', said('hi'), new Headers({ session_id: 'a' })),
    name(1, 'm', said('hi'), new Headers({ session_id: 'b' })),
    name(1, 'm', { ...said('hi'), prompt_cache_key: 'k' }),
    name(1, 'm', { ...said('hi'), metadata: { user_id: 'u' } }),
  ];
  expect(new Set(names).size).toBe(names.length);
  const session = new Headers({ session_id: 'a' });
  expect(name(1, 'm', said('other'), session)).toBe(name(1, 'm', said('hi'), session));
});

test('an earlier answer is known in every format of callers', () => {
  const { warm } = book();
  warm.note('x', 7);
  const found = (fields: object) => warm.find('x', { ...fields });
  expect(found({ messages: [{ role: 'assistant', content: 'a' }] })).toBe(7);
  expect(found({ input: [{ role: 'assistant', content: 'a' }] })).toBe(7);
  expect(found({ contents: [{ role: 'model', parts: [] }] })).toBe(7);
  for (const fields of [{}, { input: 'text' }, { messages: 'text' }, { messages: [null, 'assistant'] }])
    expect(found(fields)).toBeUndefined();
});

const one = [[{}]] as unknown as Tiers;
const two = [[{}, {}]] as unknown as Tiers;

test('nothing is looked up before a model has several channels, and with the setting off', () => {
  const { clock, warm } = book();
  expect([one, two].map((tiers) => warm.isUsed(tiers))).toEqual([false, true]);
  warm.note('x', 7);
  expect(warm.isUsed(one)).toBe(true);
  clock.isOn = false;
  expect(warm.isUsed(two)).toBe(false);
});

test('a channel is forgotten after an hour without a call', () => {
  const { clock, warm } = book();
  const next = said('hi', 'hello');
  warm.note('x', 7);
  clock.now += HOUR - 1;
  expect(warm.find('x', next)).toBe(7);
  clock.now += 1;
  expect(warm.find('x', next)).toBeUndefined();
});

test('of more than 20,000 conversations the longest unused is forgotten', () => {
  const { warm } = book();
  const next = said('hi', 'hello');
  for (let index = 0; index < 20_000; index += 1) warm.note(`c${index}`, 7);
  warm.note('c0', 8);
  warm.note('one more', 7);
  expect(warm.find('c0', next)).toBe(8);
  expect(warm.find('c1', next)).toBeUndefined();
  expect(warm.find('c2', next)).toBe(7);
});
