// SCIM 2.0 (RFC 7643, 7644) for the provider of an organization. It reads users and groups here; what it changes goes through the
// directory, which knows memberships, domains and sessions.
import type { Answer, Asked } from './asked.ts';
import { discovery, serviceProviderConfig } from './discovery.ts';
import { groups } from './groups.ts';
import { invalidValue, ScimProblem } from './problem.ts';
import { searchAll } from './search-all.ts';
import { answerCall } from './operations.ts';
import { users } from './users.ts';

export { problemBody, problemOf, ScimProblem } from './problem.ts';
export type { Answer, Asked } from './asked.ts';

export const SCIM_TYPE = 'application/scim+json';

/** `path` is what follows the root, without a slash at its end. */
export async function answerScim(path: string, asked: Omit<Asked, 'id'>): Promise<Answer> {
  const [kind = '', id, ...more] = path.split('/').filter((part) => part !== '');
  if (more.length > 0) throw unknown(path);
  switch (kind) {
    case 'ServiceProviderConfig':
      readOnly(asked);
      if (id !== undefined) throw unknown(path);
      return { status: 200, body: serviceProviderConfig(asked.root) };
    case 'ResourceTypes':
    case 'Schemas':
      readOnly(asked);
      return { status: 200, body: discovery(asked.root, kind, id, asked.query.filter !== undefined) };
    case 'Users':
      return await answerCall(searching(asked, id), users);
    case 'Groups':
      return await answerCall(searching(asked, id), groups);
    case '.search':
      return await searchAll(searching(asked, kind));
    case 'Me':
    case 'Bulk':
      throw new ScimProblem(501, `/${kind} is not offered.`);
    default:
      throw unknown(path);
  }
}

const unknown = (path: string) => new ScimProblem(404, `There is no /${path.slice(0, 100)}.`);

function readOnly({ method }: Pick<Asked, 'method'>): void {
  if (method !== 'GET') throw new ScimProblem(405, 'Discovery can only be read.');
}

/** POST to `.search` is a list with its query in the body (RFC 7644, 3.4.3). */
function searching(asked: Omit<Asked, 'id'>, id: string | undefined): Asked {
  if (id !== '.search') return { ...asked, id };
  if (asked.method !== 'POST') throw new ScimProblem(405, 'A search is posted.');
  const body = (asked.body ?? {}) as Record<string, unknown>;
  const text = (name: string): string | undefined => {
    const value = body[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string') return value;
    if (typeof value === 'number') return String(value);
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(',');
    throw invalidValue(`${name} cannot be read.`);
  };
  const query = {
    filter: text('filter'),
    startIndex: text('startIndex'),
    count: text('count'),
    attributes: text('attributes'),
    excludedAttributes: text('excludedAttributes'),
  };
  return { ...asked, method: 'GET', id: undefined, query };
}
