// What the paths of files and batches share: the caller, and the shapes of OpenAI's answers.
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { TaskParts } from '#server/relay/tasks/parts.ts';
import type { FileRows, ListedFile } from './file-rows.ts';

export interface BatchParts extends TaskParts {
  readonly fileRows: FileRows;
}

export async function callerOf({ core }: Pick<TaskParts, 'core'>, incoming: Incoming): Promise<Caller> {
  const { request, address } = incoming;
  const caller = await core.authenticator.authenticate(request, address, core.settings.current);
  incoming.caller = caller;
  return caller;
}

export function fileObject(file: ListedFile) {
  return {
    id: file.file_id,
    object: 'file',
    bytes: file.bytes,
    created_at: file.created_at,
    ...(file.expires_at === 0 ? {} : { expires_at: file.expires_at }),
    filename: file.filename,
    purpose: file.purpose,
    status: 'processed',
    status_details: null,
  };
}

/** A page in OpenAI's shape. `found` has one item more than the page when there is another page. */
export function pageOf<T extends { id: string }>(found: readonly T[], limit: number) {
  const data = found.slice(0, limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: found.length > limit,
  };
}

export function purposeIn(value: unknown): string {
  if (typeof value !== 'string' || !/^[a-z][a-z_-]{1,40}$/.test(value))
    throw new RelayError('invalid_field', { field: 'purpose' }, { param: 'purpose' });
  return value;
}

export function limitIn(query: URLSearchParams, usual: number, most: number): number {
  const given = query.get('limit');
  if (given === null) return usual;
  const limit = Number(given);
  if (!Number.isInteger(limit) || limit < 1 || limit > most)
    throw new RelayError('invalid_field', { field: 'limit' }, { param: 'limit' });
  return limit;
}
