// What an organization's calls cost by member, service account, project, key, model or tag, from the hourly sums. Whatever is not
// listed by name is answered too, so that each table adds up to what the ledger charged.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Store } from '#server/platform/store/store.ts';

export const HOLDER_GROUPS = ['member', 'service_account', 'project', 'token', 'model', 'tag'] as const;
export type HolderGroup = (typeof HOLDER_GROUPS)[number];

export const HOLDER_FIGURES = [
  'count',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'error_count',
] as const;
export type HolderFigures = Record<(typeof HOLDER_FIGURES)[number], number>;

export interface HolderSum extends HolderFigures {
  /** 0 of a model and of a tag. */
  id: number;
  name: string;
}

export interface HolderSums {
  rows: HolderSum[];
  /** Of those beyond the limit. */
  others: HolderFigures;
  /** Of calls without one: without the tag, of no member, or from before figures were kept by holder. */
  none: HolderFigures;
  total: HolderFigures;
}

export interface HolderQuestion {
  /** The organization. */
  userId: number;
  by: HolderGroup;
  /** Of a tag. */
  tagKey?: string | undefined;
  /** Unix seconds: the end is exclusive. */
  from: number;
  to: number;
  /** Only the calls of this member. */
  memberId?: number | undefined;
  limit: number;
}

/** By the column that names one: whose rows have it, and where its name is. */
const NAMED = {
  member: ['member_id', 'users', 'username'],
  service_account: ['service_account_id', 'service_accounts', 'name'],
  project: ['project_id', 'projects', 'name'],
  token: ['token_id', 'tokens', 'name'],
} as const;

const SUMS = sql.join(
  HOLDER_FIGURES.map((name) => sql`cast(coalesce(sum(${sql.ref(name)}), 0) as bigint) as ${sql.ref(name)}`),
);

export async function readHolderSums(
  { db }: Pick<Store, 'db'>,
  question: HolderQuestion,
): Promise<HolderSums> {
  const { by, tagKey = '', memberId, limit } = question;
  // Keys and models are in the sums of everybody, too, which also have the calls that are attributed to nobody.
  const isOfAll = (by === 'token' || by === 'model') && memberId === undefined;
  const source = isOfAll ? hoursOf(question) : holdersOf(question, by === 'tag' ? tagKey : '');
  const column = sql.ref(by === 'model' ? 'model_name' : by === 'tag' ? 'tag_value' : NAMED[by][0]);
  const isNamed =
    by === 'model' || by === 'tag' || by === 'token' ? sql<SqlBool>`1 = 1` : sql`${column} <> 0`;
  const one = async (query: RawBuilder<HolderFigures>): Promise<HolderFigures> =>
    (await query.execute(db)).rows[0] ?? NONE;
  const [found, listed, total] = await Promise.all([
    sql<HolderFigures & { key: string | number }>`select ${column} as key, ${SUMS} ${source} and ${isNamed}
      group by ${column} order by sum(quota) desc, ${column} limit ${limit}`.execute(db),
    one(sql<HolderFigures>`select ${SUMS} ${source} and ${isNamed}`),
    one(
      sql<HolderFigures>`select ${SUMS} ${memberId === undefined ? hoursOf(question) : holdersOf(question, '')}`,
    ),
  ]);
  const rows = found.rows.filter((row) => HOLDER_FIGURES.some((name) => row[name] !== 0));
  const names = await namesOf({ db }, by, rows);
  return {
    rows: rows.map(({ key, ...figures }) => ({
      id: typeof key === 'number' ? key : 0,
      name: typeof key === 'number' ? (names.get(key) ?? '') : key,
      ...figures,
    })),
    others: rows.reduce<HolderFigures>(less, listed),
    none: less(total, listed),
    total,
  };
}

/** The tags that calls of the organization had in the span. */
export async function tagKeysUsed(
  { db }: Pick<Store, 'db'>,
  question: Pick<HolderQuestion, 'userId' | 'from' | 'to'>,
  kept: readonly string[],
): Promise<string[]> {
  const { userId, from, to } = question;
  const found = await Promise.all(
    kept.map(async (key) => {
      const row = await db
        .selectFrom('holder_hours')
        .select('hour')
        .where('user_id', '=', userId)
        .where('tag_key', '=', key)
        .where('hour', '>=', from)
        .where('hour', '<', to)
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? [] : [key];
    }),
  );
  return found.flat();
}

const NONE: HolderFigures = { count: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0, error_count: 0 };

const less = (from: HolderFigures, taken: HolderFigures): HolderFigures => ({
  count: from.count - taken.count,
  quota: from.quota - taken.quota,
  prompt_tokens: from.prompt_tokens - taken.prompt_tokens,
  completion_tokens: from.completion_tokens - taken.completion_tokens,
  error_count: from.error_count - taken.error_count,
});

const hoursOf = ({ userId, from, to }: HolderQuestion) =>
  sql`from usage_hours where user_id = ${userId} and hour >= ${from} and hour < ${to}`;

const holdersOf = ({ userId, from, to, memberId }: HolderQuestion, tagKey: string) =>
  sql`from holder_hours where user_id = ${userId} and tag_key = ${tagKey} and hour >= ${from} and hour < ${to}
    ${memberId === undefined ? sql`` : sql`and member_id = ${memberId}`}`;

/** Also of what is archived, deleted or has left. */
async function namesOf(
  { db }: Pick<Store, 'db'>,
  by: HolderGroup,
  rows: readonly { key: string | number }[],
): Promise<ReadonlyMap<number, string>> {
  const ids = rows.flatMap(({ key }) => (typeof key === 'number' ? [key] : []));
  if (by === 'model' || by === 'tag' || ids.length === 0) return new Map();
  const [, table, column] = NAMED[by];
  const { rows: named } = await sql<{ id: number; name: string }>`
    select id, ${sql.ref(column)} as name from ${sql.table(table)} where id in (${sql.join(ids)})`.execute(
    db,
  );
  return new Map(named.map(({ id, name }) => [id, name]));
}
