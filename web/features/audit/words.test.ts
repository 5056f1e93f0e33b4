import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Glob } from 'bun';
import { WITHDRAWAL_ACTIONS } from '#contract/money/resellers.ts';
import { REDEMPTION_BATCH_ACTIONS } from '#contract/money/redemptions.ts';
import { TOKEN_BATCH_ACTIONS } from '#contract/admin/tokens.ts';
import { MANAGE_ACTIONS } from '#contract/admin/user-management.ts';
import messages from './messages.ts';

const SERVER = fileURLToPath(new URL('../../../server/', import.meta.url));
const CALLS = [
  /\baudit(?:Event)?\(\s*(?:\w+,\s*)?'([a-z_]+\.[a-z_]+)'/g,
  /\baction: '([a-z_]+\.[a-z_]+)'/g,
  /\bauditedSave\(context, '([a-z_]+\.[a-z_]+)'\)/g,
];

test('A15: every action that the server records has words in both languages', () => {
  const actions = new Set([
    ...MANAGE_ACTIONS.map((action) => `user.${action}`),
    ...WITHDRAWAL_ACTIONS.map((action) => `withdrawal.${action}`),
    ...REDEMPTION_BATCH_ACTIONS.map((action) => `redemption.${action}`),
    ...TOKEN_BATCH_ACTIONS.map((action) => `token.${action}`),
  ]);
  for (const file of new Glob('**/*.ts').scanSync(SERVER)) {
    if (file.endsWith('.test.ts')) continue;
    const source = readFileSync(SERVER + file, 'utf8');
    for (const call of CALLS) for (const [, action = ''] of source.matchAll(call)) actions.add(action);
  }
  expect(actions.size).toBeGreaterThan(60);
  const words: Record<string, Record<string, unknown>> = messages.action;
  const isNamed = (action: string) => {
    const [kind = '', name = ''] = action.split('.');
    return words[kind]?.[name] !== undefined;
  };
  expect([...actions].filter((action) => !isNamed(action))).toEqual([]);
});
