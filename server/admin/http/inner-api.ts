// The API of the console for callers inside the server: the same endpoints with the same checks, for credentials that were verified
// elsewhere. An admin key's changes go through here.
import { Hono } from 'hono';
import { ORGANIZATION_HEADER } from '#contract/admin/organizations.ts';
import type { Api, Envelope } from '#contract/endpoint.ts';
import { createClient, type Client } from '#contract/client.ts';
import type { Credentials } from './authenticate.ts';
import type { Call, HonoEnvironment } from './call.ts';
import type { Caller } from './context.ts';
import { mount, type ApiHandlers, type MountParts } from './mount.ts';

/** A refusal of the endpoint: its status and its envelope. */
export class RefusedCall extends Error {
  override name = 'RefusedCall';
  readonly status: number;
  readonly envelope: Envelope;
  readonly retryAfter: string | null;

  constructor(status: number, envelope: Envelope, retryAfter: string | null) {
    super(envelope.message);
    this.status = status;
    this.envelope = envelope;
    this.retryAfter = retryAfter;
  }
}

export interface InnerCaller {
  caller: Caller;
  organizationId: number;
  /** The request from outside: its address, language and id are those of the inner calls. */
  call: Call;
}

export type InnerApi<A extends Api> = (inner: InnerCaller) => Client<A>;

export function createInnerApi<A extends Api>(
  api: A,
  handlers: ApiHandlers<A>,
  parts: MountParts,
): InnerApi<A> {
  const callers = new WeakMap<Request, InnerCaller>();
  const app = new Hono<HonoEnvironment>({ strict: false });
  app.use('*', async (context, next) => {
    const inner = callers.get(context.req.raw);
    if (inner === undefined) throw new Error('a call without a caller');
    context.set('call', { ...inner.call, cookies: [] });
    await next();
  });
  mount(app, api, handlers, {
    ...parts,
    authenticator: {
      identify: (request) => Promise.resolve(credentialsOf(callers.get(request)?.caller ?? null)),
    },
    // The request from outside has been counted.
    limiter: {
      ...parts.limiter,
      take: (limit, counted) => (limit === 'api' ? 0 : parts.limiter.take(limit, counted)),
    },
  });
  return (inner) =>
    createClient(api, async ({ method, url, body }) => {
      const request = new Request(`http://inner.invalid${url}`, {
        method,
        headers: {
          [ORGANIZATION_HEADER]: String(inner.organizationId),
          'Content-Type': 'application/json',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      callers.set(request, inner);
      const response = await app.fetch(request, { connection: null });
      const envelope = (await response.json()) as Envelope;
      if (!envelope.success)
        throw new RefusedCall(response.status, envelope, response.headers.get('Retry-After'));
      return envelope as Envelope & { data: unknown };
    });
}

/** Never a session: what asks for one, or for a confirmation by a person, is refused or needs none as for a program. */
const credentialsOf = (user: Caller | null): Credentials => ({
  user,
  via: user === null ? null : 'admin_key',
  sessionDigest: null,
  verifiedAt: 0,
  isProtected: false,
  passwordIsInitial: false,
  sessionId: null,
  headerMatches: true,
});
