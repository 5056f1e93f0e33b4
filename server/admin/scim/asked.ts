// One call of SCIM, and what it asks for: which page, which attributes, on condition of which version.
import type { ScimActor, ScimDirectory } from '#server/admin/scim-directory.ts';
import type { Store } from '#server/platform/store/store.ts';
import { MOST_RESULTS } from './discovery.ts';
import { shownPart, type Shown } from './shown.ts';
import { parseFilter, type Filter } from './filter-syntax.ts';
import type { Resource } from './filter.ts';
import { invalidValue, ScimProblem } from './problem.ts';
import type { ResourceDefinition } from './schema.ts';

export interface Asked {
  store: Store;
  directory: ScimDirectory;
  actor: ScimActor;
  /** Of the addresses in answers. */
  root: string;
  method: string;
  /** After the endpoint. */
  id: string | undefined;
  /** Of the address, or of the body of a search. */
  query: Query;
  body: unknown;
  headers: Headers;
}

export interface Query {
  filter?: string | undefined;
  startIndex?: string | undefined;
  count?: string | undefined;
  attributes?: string | undefined;
  excludedAttributes?: string | undefined;
}

export interface Answer {
  status: number;
  body?: object;
  headers?: Record<string, string>;
}

export interface Page {
  /** From 1. */
  start: number;
  count: number;
  filter: Filter | undefined;
}

const USUAL = 100;

function whole(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (!/^-?\d{1,9}$/.test(text)) throw invalidValue(`${name} must be a whole number.`);
  return Number(text);
}

/** Numbers below the smallest mean the smallest (RFC 7644, 3.4.2.4). */
export function pageOf({ filter, startIndex, count }: Query): Page {
  return {
    start: Math.max(1, whole('startIndex', startIndex) ?? 1),
    count: Math.min(MOST_RESULTS, Math.max(0, whole('count', count) ?? USUAL)),
    filter: filter === undefined || filter === '' ? undefined : parseFilter(filter),
  };
}

export function shownOf(definition: ResourceDefinition, { attributes, excludedAttributes }: Query): Shown {
  return { definition, only: namesIn(attributes), without: namesIn(excludedAttributes) };
}

const namesIn = (text: string | undefined): string[] =>
  (text ?? '')
    .slice(0, 4000)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** A number of one of these resources; another text is the id of nothing. */
export function numberOf(id: string | undefined, what: string): number {
  if (id !== undefined && /^[1-9]\d{0,14}$/.test(id)) return Number(id);
  throw new ScimProblem(404, `There is no such ${what}.`);
}

export const tagOf = (version: number): string => `W/"${version}"`;

const hasTag = (header: string, version: number): boolean =>
  header.split(',').some((each) => {
    const tag = each.trim();
    return tag === '*' || tag.replace(/^W\//, '') === `"${version}"`;
  });

/** The version that a change is bound to; the one that was read, unless the client named another. */
export function conditionOf({ headers }: Pick<Asked, 'headers'>, version: number): void {
  const header = headers.get('if-match');
  if (header !== null && !hasTag(header, version))
    throw new ScimProblem(412, 'The resource has another version: read it again.');
}

export const isUnchanged = ({ headers }: Pick<Asked, 'headers'>, version: number): boolean => {
  const header = headers.get('if-none-match');
  return header !== null && hasTag(header, version);
};

export interface Kept {
  id: number;
  version: number;
  resource: Resource;
}

export function answerWith(shown: Shown, { resource, version }: Kept, status = 200): Answer {
  const { location } = resource['meta'] as { location: string };
  return {
    status,
    body: shownPart(shown, resource),
    headers: { ETag: tagOf(version), ...(status === 201 ? { Location: location } : {}) },
  };
}
