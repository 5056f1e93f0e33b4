// Spends what the budgets of imported keys leave: a unit more is refused, all of it is admitted, and then nothing is left.
import { expect } from 'bun:test';
import { DAY_SECONDS } from '#contract/time.ts';
import { keyDigest } from '#server/admin/tokens/key.ts';
import { BUDGET_INVARIANT } from '#server/money/audit/budget-checks.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { openLedger } from '#server/money/ledger/open-ledger.ts';
import type { Store } from '#server/platform/store/store.ts';
import { createBudgetBook } from '#server/relay/money/budget-book.ts';
import { callOf, outcome } from '#tests/integration/money/ledger/world.ts';

export async function checkSpending(
  { store, dataDir }: { store: Store; dataDir: string },
  keys: readonly [key: string, left: number][],
): Promise<void> {
  // No window may end between the import and the calls.
  await store.db
    .updateTable('budget_counters')
    .set((column) => ({ window_end: column('window_end', '+', DAY_SECONDS) }))
    .where('period', '<>', 'total')
    .execute();
  const book = createBudgetBook(store, { current: { SiteTimeZone: 'UTC' } } as never);
  const ledger = await openLedger({ store, nodeId: 'test', dataDir, version: 'test' });
  const open = async (key: string, amount: number) => {
    const token = await store.db
      .selectFrom('tokens')
      .selectAll()
      .where('key_digest', '=', keyDigest(store.vault, key.slice('sk-'.length)))
      .executeTakeFirstOrThrow();
    const organization = { id: token.user_id, projectId: token.project_id, memberId: token.member_id };
    const caller = { tokenId: token.id, organization } as never;
    const { budgets } = await book.attribute(caller, 'gpt-4o', () => ({}));
    return await ledger.open({ ...callOf(token.user_id, token.id, amount), budgets });
  };
  for (const [key, left] of keys) {
    expect(await open(key, left + 1)).toMatchObject({ ok: false, available: left });
    const opened = await open(key, left);
    if (!opened.ok) throw new Error(`${key} is refused: ${opened.reason}`);
    await ledger.settle(opened.call, outcome(left));
    expect((await open(key, 1)).ok).toBe(false);
  }
  await ledger.writeHolds();
  expect(await checkInvariants(store)).toEqual([]);
  await ledger.close();
  book.close();
  // What was brought is part of the evidence: without it the books do not add up.
  await store.db.updateTable('budget_counters').set({ brought: 0 }).where('brought', '>', 0).execute();
  const breaches = await checkInvariants(store);
  expect(new Set(breaches.map(({ invariant }) => invariant))).toEqual(new Set([BUDGET_INVARIANT]));
}
