import { expect, test } from 'bun:test';
import { leavingFor, type ShownToast } from './toast-room.ts';

const shown = (...texts: string[]): ShownToast[] => texts.map((text) => ({ id: text, text }));

test('O26: after many errors the newest toast is shown, the oldest leaves', () => {
  expect(leavingFor('saved', shown('e1', 'e2'))).toEqual([]);
  expect(leavingFor('saved', shown('e1', 'e2', 'e3'))).toEqual(['e1']);
});

test('O26: the same sentence is shown once', () => {
  expect(leavingFor('e1', shown('e1', 'e2', 'e3'))).toEqual(['e1']);
  expect(leavingFor(undefined, [{ id: 'undo-1', text: undefined }])).toEqual([]);
});
