// A store with people of each role and the checks of what needs a person, at a clock of the test's own.
import { expect } from 'bun:test';
import { sql } from 'kysely';
import { ROLE } from '#contract/access.ts';
import type { AttentionItem, AttentionView } from '#contract/admin/attention.ts';
import type { AttentionKind } from '#contract/admin/attention-kinds.ts';
import { ATTENTION_WORDS, attentionText } from '#contract/admin/attention-words.ts';
import { SETTING_KEYS, SETTINGS, type Settings } from '#contract/settings.ts';
import { createAttention, type Attention } from '#server/admin/attention/index.ts';
import type { RequestContext } from '#server/admin/context.ts';
import { offerMargins, recentMargins } from '#server/admin/margins/index.ts';
import type { Store } from '#server/platform/store/store.ts';

/** 2026-11-13 17:42 UTC. */
export const NOW = 1_794_591_720;
export const DAY = 86_400;
export const TODAY = NOW - (NOW % DAY);
/** Quota units of a dollar. */
export const DOLLAR = 500_000;

const defaults = Object.fromEntries(
  SETTING_KEYS.map((key) => [key, SETTINGS[key].fallback]),
) as unknown as Settings;

export type Role = keyof typeof ROLE & ('user' | 'admin' | 'root');

export interface Scene {
  store: Store;
  clock: { now: number };
  settings: { current: { -readonly [Key in keyof Settings]: Settings[Key] } };
  unpriced: Set<string>;
  ledger: { isWritable: boolean };
  jobs: { fail: boolean };
  attention: Attention;
  ids: Record<Role, number>;
  errors: string[];
  /** The list as this person sees it, after the checks have run again. */
  view(role: Role): Promise<AttentionView>;
  /** What is kept, without letting time pass. */
  viewNow(role: Role): Promise<AttentionView>;
  item(role: Role, kind: AttentionKind): Promise<AttentionItem | undefined>;
  snooze(role: Role, body: { id: string; mark: string; is_snoozed?: boolean }): Promise<null>;
  /** Of another node, or of this one after a restart. */
  another(nodeId?: string): Attention;
  /** Meanwhile no notice can be written or read. */
  withoutNotices(run: () => Promise<void>): Promise<void>;
}

export async function attentionScene(store: Store): Promise<Scene> {
  const clock = { now: NOW };
  const settings = { current: { ...defaults, QuotaPerUnit: DOLLAR } };
  const unpriced = new Set<string>();
  const ledger = { isWritable: true };
  const jobs = { fail: false };
  const errors: string[] = [];
  const ids = {} as Record<Role, number>;
  for (const role of ['user', 'admin', 'root'] as const) {
    const { id } = await store.db
      .insertInto('users')
      .values({
        username: role,
        aff_code: role,
        role: ROLE[role],
        quota: 100 * DOLLAR,
        access_token_digest: null,
        deleted_at: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    ids[role] = id;
  }
  const create = (nodeId: string) =>
    createAttention({
      store,
      settings,
      nodeId,
      priceOf: (model) => (unpriced.has(model) ? 'no_price' : ({ kind: 'ratio' } as never)),
      isWritable: () => ledger.isWritable,
      margins: recentMargins({ store, settings }),
      offerMargins: (lastDays) => offerMargins({ store, settings }, lastDays),
      organizationFacts: () => Promise.reject(new Error('no organization here')),
      jobs: async () => {
        if (jobs.fail) throw new Error('no jobs');
        return [{ name: 'mail', title: { zh: '邮件', en: 'Mail' }, node: '' }] as never;
      },
      now: () => clock.now,
      onError: (check) => errors.push(check),
    });
  const attention = create('node-here');
  const contextOf = (role: Role) =>
    ({
      user: { id: ids[role], username: role, role: ROLE[role], group: 'default' },
    }) as unknown as RequestContext;
  const viewNow = async (role: Role) =>
    await attention.handlers.list({ params: undefined, query: undefined, body: undefined }, contextOf(role));
  const view = async (role: Role) => {
    clock.now += 301;
    const seen = await viewNow(role);
    for (const item of seen.items) expectWords(item);
    return seen;
  };
  return {
    store,
    clock,
    settings,
    unpriced,
    ledger,
    jobs,
    attention,
    ids,
    errors,
    view,
    viewNow,
    another: (nodeId = 'node-here') => create(nodeId),
    async withoutNotices(run) {
      await sql`alter table notices rename to notices_away`.execute(store.db);
      try {
        await run();
      } finally {
        await sql`alter table notices_away rename to notices`.execute(store.db);
      }
    },
    item: async (role, kind) => (await view(role)).items.find((each) => each.kind === kind),
    snooze: async (role, body) =>
      await attention.handlers.snooze(
        { params: undefined, query: undefined, body: { is_snoozed: true, ...body } },
        contextOf(role),
      ),
  };
}

export async function addChannel(
  { store }: Scene,
  name: string,
  fields: {
    models?: string;
    status?: number;
    other_info?: string;
    balance?: number;
    balance_updated_time?: number;
    type?: number;
    buy_price?: string;
  } = {},
): Promise<number> {
  const { models = 'gpt-5.4', ...rest } = fields;
  const { id } = await store.db
    .insertInto('channels')
    .values({ name, type: 1, group: 'default', models, tag: null, deleted_at: null, ...rest })
    .returning('id')
    .executeTakeFirstOrThrow();
  const isOn = (rest.status ?? 1) === 1 ? (1 as const) : (0 as const);
  for (const model of models.split(','))
    await store.db
      .insertInto('abilities')
      .values({ group: 'default', model, channel_id: id, enabled: isOn, tag: null })
      .execute();
  return id;
}

/** The words of an item name only values that it has, and something is left of the title in both languages. */
function expectWords({ kind, values }: AttentionItem): void {
  const reader = { quotaPerUnit: DOLLAR, displayInCurrency: true, timeText: String };
  const { title, detail } = ATTENTION_WORDS[kind];
  for (const words of [title, detail])
    for (const [, name = ''] of words.join(' ').matchAll(/\{(\w+)[|}]/g))
      expect([kind, Object.keys(values)]).toEqual([kind, expect.arrayContaining([name])]);
  for (const language of ['zh', 'en'] as const) {
    expect(attentionText(title, values, { ...reader, language }).trim()).not.toBe('');
    for (const words of [title, detail])
      expect(attentionText(words, values, { ...reader, language })).not.toMatch(/[{}[\]]|undefined|NaN/);
  }
}
