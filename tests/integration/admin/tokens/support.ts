// A store with users and the token handlers, called with input that has passed the contract's schemas, as the HTTP layer
// does.
import type { RequestContext } from '#server/admin/context.ts';
import type { AnyEndpoint, Input, Output } from '#contract/endpoint.ts';
import { tokens } from '#contract/admin/tokens.ts';
import { createTokenHandlers } from '#server/admin/tokens/index.ts';
import type { Store } from '#server/platform/store/store.ts';

type TokenCalls = typeof tokens;
type Name = keyof TokenCalls;

export interface AuditEntry {
  action: string;
  target: string;
  before: unknown;
  after: unknown;
}

export interface Person {
  id: number;
  audit: AuditEntry[];
  call<N extends Name>(name: N, input?: LooseInput): Promise<Output<TokenCalls[N]>>;
  /** The same user with a system access token. */
  byAccessToken: Person;
}

interface LooseInput {
  params?: unknown;
  query?: unknown;
  body?: unknown;
}

export interface TokenScene {
  store: Store;
  clock: { now: number };
  groups: Record<string, string>;
  person(username: string, options?: { group?: string }): Promise<Person>;
}

/** 2026-11-13 17:42 UTC: late in a day, in the middle of a month. */
export const SCENE_TIME = 1_794_591_720;

export function tokenScene(store: Store): TokenScene {
  const clock = { now: SCENE_TIME };
  const groups: Record<string, string> = { default: '默认分组', vip: 'vip 分组' };
  const settings = { current: { UserUsableGroups: groups, SiteTimeZone: 'UTC' } };
  const handlers = createTokenHandlers({
    store,
    // No call runs here.
    ledger: { writeHolds: () => Promise.resolve() },
    settings,
    now: () => clock.now,
  });

  async function person(username: string, options: { group?: string } = {}): Promise<Person> {
    const group = options.group ?? 'default';
    const { id } = await store.db
      .insertInto('users')
      .values({ username, aff_code: username, group, access_token_digest: null, deleted_at: null })
      .returning('id')
      .executeTakeFirstOrThrow();
    const audit: AuditEntry[] = [];
    const as = (via: 'session' | 'access_token'): Omit<Person, 'byAccessToken'> => {
      const context = {
        user: { id, username, role: 1, group },
        via,
        sessionDigest: via === 'session' ? `session-of-${id}` : null,
        verifiedAt: 0,
        flow: { read: async () => null, keep: async () => undefined, take: async () => null },
        address: '203.0.113.24',
        userAgent: 'test',
        language: 'zh',
        requestId: 'request',
        log: console as never,
        audit: async (_: unknown, action: string, target: string, before?: unknown, after?: unknown) => {
          audit.push({ action, target, before, after });
        },
        auditEvent: async (action: string, target: string, after?: unknown) => {
          audit.push({ action, target, before: undefined, after });
        },
        startSession: async () => undefined,
        confirmSession: async () => undefined,
        endSession: async () => undefined,
      } satisfies RequestContext;
      return {
        id,
        audit,
        async call(name, input = {}) {
          const endpoint: AnyEndpoint = tokens[name];
          const parsed = {
            params: endpoint.params.parse(input.params),
            // Over HTTP a declared query is always present, possibly empty.
            query: endpoint.query.parse(
              input.query ?? (endpoint.query.safeParse(undefined).success ? undefined : {}),
            ),
            body: endpoint.body.parse(input.body),
          };
          const handler = handlers[name] as (
            input: Input<AnyEndpoint>,
            context: RequestContext,
          ) => Promise<Output<TokenCalls[typeof name]>>;
          return handler(parsed, context);
        },
      };
    };
    const byAccessToken = as('access_token') as Person;
    byAccessToken.byAccessToken = byAccessToken;
    return { ...as('session'), byAccessToken };
  }

  return { store, clock, groups, person };
}

/** The error of a call. A call that succeeds fails the test. */
export async function refusal(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('the call was not refused');
}
