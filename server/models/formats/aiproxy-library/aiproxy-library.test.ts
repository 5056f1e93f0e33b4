import { expect, test } from 'bun:test';
import { decodeAll, meaningOf } from '#tests/support/formats.ts';
import { aiproxyLibrary } from './index.ts';

test('an answer ends with its sources', () => {
  const documents = [{ title: 'A', url: 'https://a' }];
  const events = decodeAll(aiproxyLibrary, [
    { model: 'm', content: 'See.', finish: false },
    { content: '', finish: true, documents },
  ]);
  expect(meaningOf(events).choices.get(0)).toMatchObject({
    reason: 'stop',
    blocks: [{ type: 'text', text: 'See.\n\n1. [A](https://a)' }],
  });
});

test('a refusal has its code', () => {
  expect(aiproxyLibrary.decodeError({ success: false, errCode: 7, message: 'no' })).toMatchObject({
    code: '7',
  });
  expect(aiproxyLibrary.decodeError({ success: true })).toBeUndefined();
});
