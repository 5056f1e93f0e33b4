// One declaration per call of the API. It drives the mounted route, validation, the typed client, OpenAPI and
// the route × role matrix of the tests. `access` is required, so that no route is open by mistake.
import { z } from 'zod';
import type { Access } from './access.ts';
import type { OrganizationAccess } from './admin/organization-rights.ts';
import type { Conflict } from './based-on.ts';
import type { Text } from './language.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Which of the per-address limits a call counts against, besides the general one. `guess` counts only refused calls. */
export type RateLimitClass = 'critical' | 'guess' | 'search';

export interface Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Returns extends z.ZodType = z.ZodType,
  Extra extends z.ZodType = z.ZodType,
> {
  readonly method: Method;
  /** Placeholders as `{id}`. Callers may add or omit a trailing slash. */
  readonly path: string;
  readonly access: Access;
  readonly summary: Text;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The schema of `data` in the envelope. */
  readonly returns: Returns;
  /** Further top-level fields beside `data`, which existing API clients expect. */
  readonly extra: Extra;
  readonly limit?: RateLimitClass;
  /** Counts the limit by user instead of by address: people behind one address do not use it up for each other. */
  readonly limitPer?: 'user';
  /** The answer contains secrets: it is sent with `Cache-Control: no-store` and its body is never logged. */
  readonly secret?: true;
  /** Answered only to a browser session, never to a system access token. */
  readonly sessionOnly?: true;
  /** Needs a sign-in or a confirmation (`security.confirm`) in the last minutes; else 403 `step_up_required`. */
  readonly stepUp?: true;
  /** A GET that changes something: refused to pages of other sites, even without a session. */
  readonly acts?: true;
  /** What a call for an organization needs; without it the call is refused with an organization. */
  readonly organization?: OrganizationAccess;
  /** Refused without an organization. */
  readonly organizationOnly?: true;
  /** Pages of any site may read the answer. Only for calls that contain their credentials, never for sessions. */
  readonly anyOrigin?: true;
}

export const nothing = z.undefined();
export type Nothing = typeof nothing;

export function endpoint<
  Returns extends z.ZodType,
  Params extends z.ZodType = Nothing,
  Query extends z.ZodType = Nothing,
  Body extends z.ZodType = Nothing,
  Extra extends z.ZodType = Nothing,
>(declaration: {
  method: Method;
  path: string;
  access: Access;
  summary: Text;
  params?: Params;
  query?: Query;
  body?: Body;
  returns: Returns;
  extra?: Extra;
  limit?: RateLimitClass;
  limitPer?: 'user';
  secret?: true;
  sessionOnly?: true;
  stepUp?: true;
  acts?: true;
  anyOrigin?: true;
  organization?: OrganizationAccess;
  organizationOnly?: true;
}): Endpoint<Params, Query, Body, Returns, Extra> {
  const { params, query, body, extra, ...rest } = declaration;
  return {
    ...rest,
    params: (params ?? nothing) as Params,
    query: (query ?? nothing) as Query,
    body: (body ?? nothing) as Body,
    extra: (extra ?? nothing) as Extra,
  };
}

export type AnyEndpoint = Endpoint;
export type EndpointGroup = Record<string, AnyEndpoint>;
export type Api = Record<string, EndpointGroup>;

/** The input of a handler: the validated parts that the declaration names. */
export interface Input<E extends AnyEndpoint> {
  params: z.output<E['params']>;
  query: z.output<E['query']>;
  body: z.output<E['body']>;
}

/** `data` alone, or `data` with the declared top-level fields beside it. */
export type Output<E extends AnyEndpoint> = [z.input<E['extra']>] extends [undefined]
  ? z.input<E['returns']>
  : { data: z.input<E['returns']> } & z.input<E['extra']>;

export type Handler<E extends AnyEndpoint, Context> = (
  input: Input<E>,
  context: Context,
) => Promise<Output<E>> | Output<E>;

/** One handler per endpoint of the group; a missing one does not compile. */
export type Handlers<Group extends EndpointGroup, Context> = {
  [Name in keyof Group]: Handler<Group[Name], Context>;
};

/** A field of the request and the sentence why it was refused. */
export interface FieldProblem {
  field: string;
  message: string;
}

export interface Envelope {
  success: boolean;
  message: string;
  /** Stable machine-readable name of a refusal (contract/errors.ts). */
  code?: string;
  /** The field of the request that `message` is about. */
  field?: string;
  /** Every field that the schema of the endpoint refused. */
  fields?: FieldProblem[];
  /** Of `changed_meanwhile`. */
  conflict?: Conflict;
  /** Of `channel_address_private`: the entries of AllowedPrivateAddresses that would allow it. */
  private_addresses?: readonly string[];
  data?: unknown;
  [field: string]: unknown;
}

/** `{id}` placeholders filled in; every value is encoded. */
export function fillPath(path: string, params: Record<string, unknown> | undefined): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params?.[name])));
}
