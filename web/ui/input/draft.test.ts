import { expect, test } from 'bun:test';
import { keepDraftsOf, readDraft, removeDrafts, writeDraft } from './draft.ts';

/** Keys are own properties, as in a browser's storage. */
function storage(): Storage {
  const store: Record<string, unknown> = {};
  const methods = {
    getItem: (key: string) => (store[key] as string | undefined) ?? null,
    setItem: (key: string, value: string) => void (store[key] = value),
    removeItem: (key: string) => void delete store[key],
  };
  return Object.setPrototypeOf(store, methods) as Storage;
}

const initial = { name: '', key: '', models: ['a'], weight: 0 };

test('O18: a draft holds what was changed and never a secret', () => {
  const store = storage();
  const draft = { name: 'channel:new', except: ['key'] };
  writeDraft(draft, { name: 'mine', key: 'sk-secret', models: ['a', 'b'] }, store);
  expect(JSON.stringify(store)).not.toContain('sk-secret');
  expect(readDraft(draft, initial, store)).toEqual({ name: 'mine', models: ['a', 'b'] });
  writeDraft(draft, { key: 'sk-secret' }, store);
  expect(Object.keys(store)).toEqual([]);
});

test('O18: a value of another kind or of a field that is gone is left out', () => {
  const store = storage();
  store.setItem('draft:x', '{"name":3,"models":"a","gone":1,"weight":7}');
  expect(readDraft({ name: 'x' }, initial, store)).toEqual({ weight: 7 });
  store.setItem('draft:x', '{broken');
  expect(readDraft({ name: 'x' }, initial, store)).toBeUndefined();
});

test('O18: another user of the tab finds no drafts', () => {
  const store = storage();
  keepDraftsOf(1, undefined, store);
  writeDraft({ name: 'x' }, { name: 'mine' }, store);
  keepDraftsOf(1, undefined, store);
  expect(readDraft({ name: 'x' }, initial, store)).toEqual({ name: 'mine' });
  keepDraftsOf(2, undefined, store);
  expect(readDraft({ name: 'x' }, initial, store)).toBeUndefined();
  writeDraft({ name: 'x' }, { name: 'yours' }, store);
  removeDrafts(store);
  expect(readDraft({ name: 'x' }, initial, store)).toBeUndefined();
});
