import { expect, test } from 'bun:test';
import { AUDIT_ACTIONS } from '#contract/admin/audit.ts';
import messages from './messages.ts';

test('A15: every action that the server records has words in both languages', () => {
  const words: Record<string, Record<string, unknown>> = messages.action;
  const unnamed = Object.entries(AUDIT_ACTIONS).flatMap(([kind, actions]) =>
    actions.filter((action) => words[kind]?.[action] === undefined).map((action) => `${kind}.${action}`),
  );
  expect(unnamed).toEqual([]);
});
