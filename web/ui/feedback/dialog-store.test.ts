import { expect, test } from 'bun:test';
import { closeDialog, confirm, openDialog, showManualCopy } from './dialog-store.ts';

const question = (title: string) => ({ title, body: '', confirmLabel: 'ok' });

function answer(confirmed: boolean): void {
  const dialog = openDialog();
  if (dialog?.kind !== 'confirm') throw new Error('no question is open');
  dialog.answer(confirmed);
}

test('a confirmed dialog resolves to true and closes', async () => {
  const asked = confirm(question('delete?'));
  answer(true);
  expect(await asked).toBe(true);
  expect(openDialog()).toBeUndefined();
});

test('a second dialog replaces the first, which resolves to false', async () => {
  const first = confirm(question('first?'));
  const second = confirm(question('second?'));
  expect(await first).toBe(false);
  answer(true);
  expect(await second).toBe(true);
});

test('the text to copy by hand stays until it is closed', () => {
  showManualCopy('sk-secret');
  expect(openDialog()).toEqual({ kind: 'copy', text: 'sk-secret' });
  closeDialog();
  expect(openDialog()).toBeUndefined();
});
