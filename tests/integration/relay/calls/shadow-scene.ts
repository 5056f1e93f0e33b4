// Calls of one model whose copies another model answers; each test makes models of its own, behind the mock upstream.
import { expect } from 'bun:test';
import { SHADOW_CONSENTS, shadowFields, type ShadowConsent } from '#contract/relay/shadow-calls.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { marginReport } from '#server/admin/margins/report.ts';
import { openTexts } from '#server/relay/shadow-calls/samples.ts';
import type { Behaviour } from '#mock/upstream/index.ts';
import type { DatabaseLabel } from '#tests/support/databases.ts';
import { eventually, startRelay, type HarnessOptions, type RelayHarness, type TestToken } from './harness.ts';

const MODELS = Array.from({ length: 100 }, (_, at) => [`watched${at}`, `target${at}`]).flat();
/** Quota units for a token of the prompt, and four times as many for one of the answer. */
export const RATIO = 5;
/** Of the target, in dollars for a million tokens: 2 units for each token. */
const BUY_DOLLARS = 4;
export const BUY_UNITS = 2;
export const QUOTA = 10_000_000;

export async function shadowScene(database: DatabaseLabel, options: HarnessOptions = {}) {
  const ratios = (ratio: number) => JSON.stringify(Object.fromEntries(MODELS.map((name) => [name, ratio])));
  const relay: RelayHarness = await startRelay({
    database,
    ...options,
    settings: {
      RetryTimes: '0',
      SiteTimeZone: 'UTC',
      ModelRatio: ratios(RATIO),
      CompletionRatio: ratios(4),
      ...options.settings,
    },
  });
  const { db, changes } = relay.store;
  let made = 0;

  async function saveShadow(fields: object): Promise<number> {
    const { name, enabled, model, target_model, ...rules } = shadowFields.parse(fields);
    const row = await db
      .insertInto('shadows')
      .values({
        name,
        enabled: enabled ? 1 : 0,
        model,
        target_model,
        rules: JSON.stringify(rules),
        created_at: 1,
        updated_at: 1,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await changes.announce('shadows');
    return row.id;
  }

  return Object.assign(relay, {
    saveShadow,
    /** A watched model and its target, whose channels behave so. */
    async pair(answer: Behaviour, copy: Behaviour, wish: { rules?: object; target?: object } = {}) {
      made += 1;
      const names = { model: `watched${made}`, target: `target${made}` };
      // A behaviour is chosen by a part of the key: none is contained in another.
      const keys = { model: `sk-${made}-watched`, target: `sk-${made}-target` };
      const buy_price = JSON.stringify({
        kind: 'table',
        models: { [names.target]: { input: BUY_DOLLARS, output: BUY_DOLLARS } },
        recharge_rate: 1,
        batch_ratio: 1,
      });
      const channels = {
        model: await relay.channel({ models: [names.model], key: keys.model }),
        target: await relay.channel({
          models: [names.target],
          key: keys.target,
          fields: { buy_price, ...wish.target },
        }),
      };
      relay.mock.behave({ when: { key: keys.model }, behaviour: answer });
      relay.mock.behave({ when: { key: keys.target }, behaviour: copy });
      const id = await saveShadow({
        name: `comparison ${made}`,
        model: names.model,
        target_model: names.target,
        share_percent: 100,
        ...wish.rules,
      });
      const copies = () => relay.mock.requests.filter(({ key }) => key === keys.target);
      return { ...names, id, channels, keys, copies };
    },
    async caller(consent: ShadowConsent = 'allowed'): Promise<TestToken> {
      const token = await relay.token({ quota: QUOTA });
      await db
        .updateTable('users')
        .set({ shadow_consent: SHADOW_CONSENTS.indexOf(consent) })
        .where('id', '=', token.userId)
        .execute();
      return token;
    },
    ask: (model: string, { key }: TestToken, extra: object = {}, headers: Record<string, string> = {}) =>
      relay.post(
        '/v1/chat/completions',
        key,
        { model, messages: [{ role: 'user', content: 'what is the time?' }], max_tokens: 100, ...extra },
        headers,
      ),
    /** All copies have ended and what is counted is written. */
    async settle(): Promise<void> {
      await eventually(
        () => relay.relay.shadows.open,
        (open) => open === 0,
      );
      await relay.relay.shadows.flush();
    },
    async samples(shadowId: number) {
      const rows = await db
        .selectFrom('shadow_samples')
        .selectAll()
        .where('shadow_id', '=', shadowId)
        .orderBy('id')
        .execute();
      return rows.map((row) => ({ ...row, texts: openTexts(relay.store.vault, row), sealed: row.texts }));
    },
    async countsOf(shadowId: number): Promise<Record<string, number>> {
      const row = await db
        .selectFrom('shadow_counts')
        .selectAll()
        .where('shadow_id', '=', shadowId)
        .executeTakeFirst();
      const counts = Object.entries(row ?? {}).filter(
        ([name, count]) => !['shadow_id', 'kept'].includes(name) && count !== 0,
      );
      return Object.fromEntries(counts);
    },
    async spentOf(shadowId: number): Promise<number> {
      const row = await db
        .selectFrom('shadow_days')
        .select('spent')
        .where('shadow_id', '=', shadowId)
        .executeTakeFirst();
      return row?.spent ?? 0;
    },
    async keptOf(shadowId: number): Promise<number> {
      const row = await db
        .selectFrom('shadow_counts')
        .select('kept')
        .where('shadow_id', '=', shadowId)
        .executeTakeFirst();
      return row?.kept ?? 0;
    },
    margins: (model: string) => marginReport({ store: relay.store }, { by: 'channel', model }),
    async ledgerOf(userId: number) {
      return await db
        .selectFrom('ledger')
        .select(['kind', 'amount'])
        .where('user_id', '=', userId)
        .where('kind', '!=', 'test')
        .execute();
    },
  });
}

export type ShadowScene = Awaited<ReturnType<typeof shadowScene>>;

/** After each test: nothing is held, and the books are right. */
export async function expectBooks(scene: ShadowScene): Promise<void> {
  const held = await eventually(
    () => scene.holds(),
    (count) => count === 0,
  );
  expect(held).toBe(0);
  expect(await checkInvariants(scene.store)).toEqual([]);
}
