// One request of an organization's admin key. Reads are made here; every change goes through the endpoint of the console
// (`client`), which checks the member's rights, the fields and the audit as it does there.
import type { api } from '#contract/api.ts';
import type { Client } from '#contract/client.ts';
import type { Parameters } from '#server/admin/query-parameters.ts';
import type { Store } from '#server/platform/store/store.ts';

export type OrganizationClient = Client<
  Pick<typeof api, 'members' | 'invitations' | 'projects' | 'serviceAccounts' | 'tokens' | 'adminKeys'>
>;

export interface Asked {
  readonly store: Store;
  readonly organizationId: number;
  readonly client: OrganizationClient;
  readonly parameters: Parameters;
  /** Of the path, by name. */
  readonly ids: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export type Answering = (asked: Asked) => Promise<object>;

/** What the caller gets as an error in OpenAI's shape. */
export class ApiProblem extends Error {
  override name = 'ApiProblem';
  readonly status: number;
  readonly code: 'not_found' | 'unsupported' | 'invalid_value';
  readonly parameter: string | null;

  constructor(status: number, code: ApiProblem['code'], message: string, parameter: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.parameter = parameter;
  }
}

export const notFound = (what: string): ApiProblem =>
  new ApiProblem(404, 'not_found', `There is no such ${what} in this organization.`);

export const unsupported = (message: string, parameter: string | null = null): ApiProblem =>
  new ApiProblem(400, 'unsupported', message, parameter);

const invalid = (parameter: string, message: string): ApiProblem =>
  new ApiProblem(400, 'invalid_value', `${parameter}: ${message}`, parameter);

/** The number of an id such as `proj_12`; one of another shape is the id of nothing. */
export function idIn(text: string | undefined, what: string): number {
  const digits = /^(?:[a-z_]+[-_])?(\d{1,15})$/.exec(text ?? '')?.[1];
  if (digits === undefined || Number(digits) === 0) throw notFound(what);
  return Number(digits);
}

export function textIn({ body }: Asked, name: string): string {
  const value = body[name];
  if (typeof value !== 'string' || value.trim() === '') throw invalid(name, 'a text is needed');
  return value;
}

/** Members that have no meaning here must not be lost silently. */
export function refuseOthers({ body }: Asked, known: readonly string[]): void {
  for (const [name, value] of Object.entries(body))
    if (!known.includes(name) && value !== null && value !== undefined)
      throw unsupported(`${name} has no meaning here.`, name);
}

const USUAL = 20;
const MOST = 100;

/**
 * A page in the shape of all of OpenAI's lists: the items after the id that the last page ended with. `read` returns them in order;
 * one more than asked for tells whether there are more.
 */
export async function pageOf<Item extends { id: string }>(
  { parameters }: Asked,
  what: string,
  read: (after: number | undefined, limit: number) => Promise<Item[]>,
): Promise<object> {
  const limit = parameters.whole('limit', MOST) ?? USUAL;
  if (limit === 0) throw invalid('limit', 'at least 1');
  const after = parameters.text('after');
  const found = await read(after === undefined ? undefined : idIn(after, what), limit + 1);
  const data = found.slice(0, limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: found.length > limit,
  };
}
