// A log row as figures of the reports, in SQL: which report counts the call, its tier, and its tokens by class. The database
// adds them up, so no row passes through the thread that relays calls.
import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

export const KINDS = [
  'completions',
  'embeddings',
  'moderations',
  'image.generation',
  'image.edit',
  'image.variation',
  'audio_speeches',
  'audio_transcriptions',
  /** Calls that no report counts: reranking, videos, music, drawings. */
  'other',
] as const;
export type UsageKind = (typeof KINDS)[number];

/** Added up in every cell. */
export const FIGURES = [
  'calls',
  'input',
  'cache_read',
  'cache_write_5m',
  'cache_write_1h',
  'image_input',
  'audio_input',
  'output',
  'audio_output',
  'pieces',
  'web_searches',
] as const satisfies (keyof Schema['usage_cells'])[];
export type Figures = Record<(typeof FIGURES)[number], number>;

/** What divides calls into cells, besides the time. */
export const DIMENSIONS = ['user_id', 'token_id', 'model_name', 'kind', 'tier', 'long_context'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** In an organization, whose call it was when it was made. */
export const HOLDERS = ['member_id', 'service_account_id', 'project_id'] as const;
export type Holder = (typeof HOLDERS)[number];

export const LONG_CONTEXT_TOKENS = 200_000;

/** Patterns for `like`; the first that matches decides. A row without a path was imported or recovered after a crash. */
const KIND_OF_PATH: readonly (readonly [pattern: string, kind: UsageKind])[] = [
  ['', 'completions'],
  ['%/chat/completions', 'completions'],
  ['%/completions', 'completions'],
  ['%/responses', 'completions'],
  ['%/responses/compact', 'completions'],
  ['%/messages', 'completions'],
  ['%/messages/batches', 'completions'],
  ['%/batches', 'completions'],
  ['%enerateContent', 'completions'],
  ['%/realtime', 'completions'],
  ['%/embeddings', 'embeddings'],
  ['%mbedContent', 'embeddings'],
  ['%mbedContents', 'embeddings'],
  ['%/moderations', 'moderations'],
  ['%/images/generations', 'image.generation'],
  ['%/images/edits', 'image.edit'],
  ['%/images/variations', 'image.variation'],
  ['%/audio/speech', 'audio_speeches'],
  ['%/audio/transcriptions', 'audio_transcriptions'],
  ['%/audio/translations', 'audio_transcriptions'],
];

interface Reading {
  /** A number of the row's `other`; 0 when it has none. */
  number(path: string): RawBuilder<number>;
  /** A plain word; blank when it has none. */
  word(name: string): RawBuilder<string>;
  has(name: string): RawBuilder<SqlBool>;
  webSearches: RawBuilder<number>;
}

const sqliteReading: Reading = {
  number: (path) => sql`coalesce(json_extract(detail, ${sql.lit(`$.${path}`)}), 0)`,
  word: (name) => sql`coalesce(json_extract(detail, ${sql.lit(`$.${name}`)}), '')`,
  has: (name) => sql`json_type(detail, ${sql.lit(`$.${name}`)}) is not null`,
  webSearches: sql`case when json_type(detail, '$.surcharges') is null then 0 else
    (select coalesce(sum(json_extract(value, '$.count')), 0) from json_each(detail, '$.surcharges')
     where json_extract(value, '$.name') like 'web_search%') end`,
};

/**
 * By splitting the text, not by its JSON functions: they fail for the whole statement on text that JSON allows and PostgreSQL
 * does not (`\u0000`), which a caller could bring into a row. Quotes inside strings are escaped, so no text looks like a name.
 * Patterns see a few characters only: over the whole text each takes tens of microseconds a row.
 */
const postgresReading: Reading = {
  number: (path) => {
    const name = sql.lit(`"${path.replace(/^.*\./, '')}":`);
    return sql`case when strpos(detail, ${name}) = 0 then 0 else
      coalesce(substring(left(split_part(detail, ${name}, 2), 20) from '^[0-9]{1,12}(?:[.][0-9]{1,6})?')::numeric, 0) end`;
  },
  word: (name) => sql`split_part(left(split_part(detail, ${sql.lit(`"${name}":"`)}, 2), 200), '"', 1)`,
  has: (name) => sql`strpos(detail, ${sql.lit(`"${name}":`)}) > 0`,
  webSearches: sql`case when strpos(detail, '"name":"web_search') = 0 then 0 else
    coalesce(substring(split_part(left(split_part(detail, '"name":"web_search', 2), 100), '"count":', 2)
      from '^[0-9]{1,9}')::bigint, 0) end`,
};

function kindOf(path: RawBuilder<string>): RawBuilder<string> {
  const cases = KIND_OF_PATH.map(
    ([pattern, kind]) => sql`when path like ${sql.lit(pattern)} then ${sql.lit(kind)}`,
  );
  return sql`(select case ${sql.join(cases, sql` `)} else 'other' end from (select ${path} as path) as named)`;
}

/**
 * Calls as cells of `seconds`, added up: start, dimensions, figures. `condition` is on columns of `logs`. Only settled
 * calls count, as in the charges.
 */
export function cellsOfRows(
  { dialect }: Pick<Store, 'dialect'>,
  seconds: number,
  condition: Expression<SqlBool>,
  /** Also by the holder of each call. */
  isByHolder = false,
): RawBuilder<{ start: number } & Record<Dimension, string | number> & Figures> {
  const isSqlite = dialect === 'sqlite';
  const read = isSqlite ? sqliteReading : postgresReading;
  const detail = isSqlite ? sql`case when json_valid(other) then other else '{}' end` : sql`other`;
  const tier = read.word('service_tier');
  const whole = (value: RawBuilder<unknown>) => sql`cast(round(sum(${value})) as bigint)`;
  const holder = isByHolder ? sql`, ${sql.join(HOLDERS.map((name) => sql.ref(name)))}` : sql``;
  const rows = sql`select created_at - created_at % ${sql.lit(seconds)} as start, user_id, token_id, model_name,
      prompt_tokens, completion_tokens, ${detail} as detail${holder}
    from logs where type = 2 and ${condition}`;
  const calls = sql`select start, user_id, token_id, model_name, prompt_tokens, completion_tokens,
      ${kindOf(read.word('path'))} as kind,
      case when ${read.has('batch_ratio')} then 'batch' when ${tier} in ('flex', 'priority') then ${tier} else '' end as tier,
      case when prompt_tokens > ${sql.lit(LONG_CONTEXT_TOKENS)} then 1 else 0 end as long_context,
      ${read.number('usage.cacheRead')} as cache_read, ${read.number('usage.cacheWrite5m')} as cache_write_5m,
      ${read.number('usage.cacheWrite1h')} as cache_write_1h, ${read.number('usage.imageInput')} as image_input,
      ${read.number('usage.audioInput')} as audio_input, ${read.number('usage.audioOutput')} as audio_output,
      case when ${read.has('pieces')} then ${read.number('pieces')} else 1 end as pieces,
      ${read.webSearches} as web_searches${holder}
    from (${rows}) as found`;
  return sql`select start, user_id, token_id, model_name, kind, tier, long_context${holder},
      cast(count(*) as bigint) as calls,
      ${whole(sql`prompt_tokens - cache_read - cache_write_5m - cache_write_1h - image_input - audio_input`)} as input,
      ${whole(sql`cache_read`)} as cache_read, ${whole(sql`cache_write_5m`)} as cache_write_5m,
      ${whole(sql`cache_write_1h`)} as cache_write_1h, ${whole(sql`image_input`)} as image_input,
      ${whole(sql`audio_input`)} as audio_input, ${whole(sql`completion_tokens - audio_output`)} as output,
      ${whole(sql`audio_output`)} as audio_output, ${whole(sql`pieces`)} as pieces,
      ${whole(sql`web_searches`)} as web_searches
    from (${calls}) as calls
    group by start, user_id, token_id, model_name, kind, tier, long_context${holder}`;
}
