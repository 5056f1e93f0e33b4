import { expect, test } from 'bun:test';
import { wordsIn, type Messages } from './rows.ts';

const messages = {
  title: ['Tasks', '异步任务'],
  result: { songs: ['{{count}} song', '{{count}} songs', '{{count}} 首'] },
} satisfies Messages;

test('a language has its own text of each row; only English has a singular', () => {
  expect(wordsIn('en', messages)).toEqual({
    title: 'Tasks',
    result: { songs_one: '{{count}} song', songs_other: '{{count}} songs' },
  });
  expect(wordsIn('zh', messages)).toEqual({ title: '异步任务', result: { songs_other: '{{count}} 首' } });
});
