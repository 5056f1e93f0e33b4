// The tables to which a batch adds its sums, the same on both databases. Column by column: the field of the entry.
import type { HolderEntry, MarginEntry, UsageEntry, WindowEntry } from './rows.ts';

export interface SumTable<Entry> {
  name: string;
  /** By which a row is found. */
  keys: Record<string, keyof Entry>;
  /** Which follow from the keys. */
  constants?: Record<string, keyof Entry>;
  /** Which are added to those of the row. */
  figures: Record<string, keyof Entry>;
}

export const USAGE_HOURS: SumTable<UsageEntry> = {
  name: 'usage_hours',
  keys: {
    hour: 'at',
    user_id: 'userId',
    token_id: 'tokenId',
    channel_id: 'channelId',
    model_name: 'modelName',
  },
  figures: {
    count: 'count',
    quota: 'quota',
    prompt_tokens: 'promptTokens',
    completion_tokens: 'completionTokens',
    error_count: 'errorCount',
    use_time_ms: 'useTimeMs',
    first_token_ms: 'firstTokenMs',
  },
};

export const HOLDER_HOURS: SumTable<HolderEntry> = {
  name: 'holder_hours',
  keys: {
    user_id: 'userId',
    tag_key: 'tagKey',
    hour: 'at',
    tag_value: 'tagValue',
    member_id: 'memberId',
    service_account_id: 'serviceAccountId',
    project_id: 'projectId',
    token_id: 'tokenId',
    model_name: 'modelName',
  },
  figures: {
    count: 'count',
    quota: 'quota',
    prompt_tokens: 'promptTokens',
    completion_tokens: 'completionTokens',
    error_count: 'errorCount',
    use_time_ms: 'useTimeMs',
    first_token_ms: 'firstTokenMs',
  },
};

/** The other columns of these tables are numbers. */
export const TEXT_COLUMNS: readonly string[] = ['model_name', 'group', 'tag_key', 'tag_value'];

export const MARGIN_DAYS: SumTable<MarginEntry> = {
  name: 'margin_days',
  keys: { day: 'at', channel_id: 'channelId', model_name: 'modelName', group: 'group', user_id: 'userId' },
  figures: {
    count: 'count',
    quota: 'quota',
    cost: 'cost',
    costed_count: 'costedCount',
    costed_quota: 'costedQuota',
  },
};

export const BUDGET_WINDOWS: SumTable<WindowEntry> = {
  name: 'budget_windows',
  keys: { counter_id: 'counterId', window_start: 'start' },
  constants: { window_end: 'end' },
  figures: { spent: 'spent' },
};

export const fieldsOf = <Entry>({ keys, constants, figures }: SumTable<Entry>) =>
  Object.entries({ ...keys, ...constants, ...figures });

const list = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');

/** `source`: the rows that are added. */
export function addSums<Entry>(table: SumTable<Entry>, source: string): string {
  const added = Object.keys(table.figures).map((name) => `"${name}" = t."${name}" + excluded."${name}"`);
  return `insert into ${table.name} as t (${list(fieldsOf(table).map(([name]) => name))}) ${source}
    on conflict (${list(Object.keys(table.keys))}) do update set ${added.join(', ')}`;
}
