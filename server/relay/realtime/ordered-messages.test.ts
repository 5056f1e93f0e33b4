// The order of the messages of one direction while some of them wait for the hold.
import { expect, test } from 'bun:test';
import { OrderedMessages, type Message } from './ordered-messages.ts';

/** Messages that begin with `w` wait until they are answered. */
function direction() {
  const sent: Message[] = [];
  const counted: Message[] = [];
  const waiting: ((paid: boolean | Message) => void)[] = [];
  const messages = new OrderedMessages({
    covers(message) {
      counted.push(message);
      if (!String(message).startsWith('w')) return true;
      const { promise, resolve } = Promise.withResolvers<boolean | Message>();
      waiting.push(resolve);
      return promise;
    },
    send: (message) => void sent.push(message),
  });
  const answer = async (paid: boolean | Message) => {
    waiting.shift()?.(paid);
    await Bun.sleep(0);
  };
  return { messages, sent, counted, answer };
}

test('messages behind one that waits are counted and sent after it, also behind a second one', async () => {
  const { messages, sent, counted, answer } = direction();
  for (const message of ['a', 'wait', 'bb', 'wait again', 'ccc']) messages.push(message);
  expect([sent, counted]).toEqual([['a'], ['a', 'wait']]);
  expect([messages.isWaiting, messages.waitingBytes]).toEqual([true, 4 + 2 + 10 + 3]);
  await answer(true);
  expect([sent, counted]).toEqual([
    ['a', 'wait', 'bb'],
    ['a', 'wait', 'bb', 'wait again'],
  ]);
  expect([messages.isWaiting, messages.waitingBytes]).toEqual([true, 10 + 3]);
  messages.push('dddd');
  expect([sent.length, messages.waitingBytes]).toEqual([3, 10 + 3 + 4]);
  await answer(true);
  expect(sent).toEqual(['a', 'wait', 'bb', 'wait again', 'ccc', 'dddd']);
  expect([messages.isWaiting, messages.waitingBytes]).toEqual([false, 0]);
  messages.push('e');
  expect(sent.at(-1)).toBe('e');
});

test('a message that is not paid is not sent, and no later one', async () => {
  const { messages, sent, counted, answer } = direction();
  messages.push('wait');
  messages.push('later');
  await answer(false);
  messages.push('latest');
  expect([sent, counted, messages.isWaiting]).toEqual([[], ['wait'], true]);
});

test('another message may be sent in place of one that waited; it keeps its place', async () => {
  const { messages, sent, answer } = direction();
  messages.push('wait');
  messages.push('later');
  await answer('with a lower limit');
  expect(sent).toEqual(['with a lower limit', 'later']);
  expect(messages.waitingBytes).toBe(0);
});
