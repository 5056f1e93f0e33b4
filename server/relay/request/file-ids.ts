// Files that a call refers to by the ids that its caller knows: the upstream that keeps them gets its own ids, and only its
// channel can serve the call.
import { isOwned, type Owner } from './owner.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Store } from '#server/platform/store/store.ts';
import { parseJson, type JsonBody } from './read-body.ts';

/** Inside a text the quotes are escaped, so this finds members only. */
const REFERENCE = /"file_id"\s*:\s*"(file-[A-Za-z0-9]{24})"/g;
const ANY_REFERENCE = new RegExp(REFERENCE.source);
const MOST_FILES = 100;

export interface KeptFiles {
  body: JsonBody;
  /** The channel that keeps the files, and the first of them. */
  place: { channelId: number; fileId: string };
  /** Their ids at the upstream. */
  own: ReadonlySet<string>;
}

/** Most calls name none, and are not searched any further. */
export const namesFiles = ({ text }: JsonBody): boolean =>
  text.includes('"file_id"') && ANY_REFERENCE.test(text);

export async function withUpstreamFiles({ db }: Store, owner: Owner, body: JsonBody): Promise<KeptFiles> {
  const ids = [...new Set([...body.text.matchAll(REFERENCE)].map(([, id = '']) => id))];
  const [fileId = ''] = ids;
  const param = { param: 'file_id', type: 'invalid_request_error' };
  if (ids.length > MOST_FILES) throw new RelayError('invalid_field', { field: 'file_id' }, param);
  const rows = await db
    .selectFrom('files')
    .select(['file_id', 'upstream_id', 'channel_id'])
    .where(isOwned(owner))
    .where('file_id', 'in', ids)
    .execute();
  const channelId = rows.find(({ file_id }) => file_id === fileId)?.channel_id ?? 0;
  let { text } = body;
  for (const id of ids) {
    const row = rows.find(({ file_id }) => file_id === id);
    if (row === undefined) throw new RelayError('file_unknown', { id }, param);
    if (row.channel_id !== channelId) throw new RelayError('file_channel_away', { id }, param);
    text = text.replaceAll(JSON.stringify(id), () => JSON.stringify(row.upstream_id));
  }
  const own = new Set(rows.map(({ upstream_id }) => upstream_id));
  return { body: parseJson(text), place: { channelId, fileId }, own };
}
