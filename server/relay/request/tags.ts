// The tags that a caller gives for cost attribution: the header `Tollgate-Tags: team=search, env=prod`, and what clients send already:
// `metadata` and `user` of OpenAI, `metadata.user_id` of Anthropic. Read only for calls of an organization, which says what is kept.
import { TAG_KEY, TAG_VALUE_MAX } from '#contract/admin/organization-budgets.ts';
import type { Fields } from './endpoints.ts';

export const TAGS_HEADER = 'tollgate-tags';
/** The tag that names an end user of the caller's product. */
const USER_KEY = 'user';
const MOST_PAIRS = 50;

export type Tags = Readonly<Record<string, string>>;

/** The header wins over the body. Keys that cannot be one are left out, long values cut. */
export function tagsGiven(headers: Pick<Headers, 'get'>, fields?: Fields): Tags {
  const tags: Record<string, string> = {};
  const give = (key: string, value: unknown): void => {
    const text = valueText(value);
    const name = key.trim().toLowerCase();
    if (text !== '' && TAG_KEY.test(name)) tags[name] = text;
  };
  const metadata = fields?.['metadata'];
  if (typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata)) {
    for (const [key, value] of Object.entries(metadata).slice(0, MOST_PAIRS)) give(key, value);
    give(USER_KEY, (metadata as Record<string, unknown>)['user_id']);
  }
  give(USER_KEY, fields?.['user']);
  for (const pair of (headers.get(TAGS_HEADER) ?? '').split(',', MOST_PAIRS)) {
    const equals = pair.indexOf('=');
    if (equals > 0) give(pair.slice(0, equals), pair.slice(equals + 1));
  }
  return tags;
}

/** Text and numbers only; without control characters, and of whole characters. */
function valueText(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return '';
  const plain = String(value)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim();
  return Array.from(plain.slice(0, TAG_VALUE_MAX * 2))
    .slice(0, TAG_VALUE_MAX)
    .join('')
    .trim();
}
