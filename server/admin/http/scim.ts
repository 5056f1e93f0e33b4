// `/scim/v2/…` on the public port: the provider of an organization manages its people with a token of that organization. No
// session counts here, and the token opens nothing else.
import type { Context, Hono } from 'hono';
import { SCIM_ROOT } from '#contract/admin/sign-on.ts';
import { AppError } from '#contract/errors.ts';
import type { ScimActor, ScimDirectory } from '#server/admin/scim-directory.ts';
import {
  answerScim,
  problemBody,
  problemOf,
  SCIM_TYPE,
  ScimProblem,
  type Answer,
} from '#server/admin/scim/index.ts';
import type { SettingsReader } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import { writeAudit } from './audit.ts';
import { readJson } from './body.ts';
import type { Call, HonoEnvironment } from './call.ts';
import type { Limiter } from './limits.ts';

interface Holder {
  organizationId: number;
  tokenId: number;
  tokenName: string;
}

export interface ScimParts {
  store: Store;
  settings: SettingsReader;
  limiter: Limiter;
  directory: ScimDirectory;
  /** Whose token it is. */
  holderOf: (token: string) => Promise<Holder | undefined>;
  /** Keeps why a call with a valid token was refused, for those who manage the organization. */
  onRefused: (holder: Holder, reason: string) => Promise<void>;
  /** Throws while the operator has turned sign-on off. */
  requireOn: () => void;
}

export function mountScim(app: Hono<HonoEnvironment>, parts: ScimParts): void {
  app.all(SCIM_ROOT, (context) => answer(context, parts));
  app.all(`${SCIM_ROOT}/*`, (context) => answer(context, parts));
}

async function answer(context: Context<HonoEnvironment>, parts: ScimParts): Promise<Response> {
  const call = context.get('call');
  const request = context.req.raw;
  let holder: Holder | undefined;
  try {
    const [known, actor] = await actorOf(request, call, parts);
    holder = known;
    const url = new URL(request.url);
    const { searchParams } = url;
    const text = (name: string) => searchParams.get(name) ?? undefined;
    return respond(
      await answerScim(url.pathname.slice(SCIM_ROOT.length), {
        store: parts.store,
        directory: parts.directory,
        actor,
        root: `${parts.settings.current.ServerAddress}${SCIM_ROOT}`,
        method: request.method === 'HEAD' ? 'GET' : request.method,
        query: {
          filter: text('filter'),
          startIndex: text('startIndex'),
          count: text('count'),
          attributes: text('attributes'),
          excludedAttributes: text('excludedAttributes'),
        },
        body: ['POST', 'PUT', 'PATCH'].includes(request.method) ? await bodyOf(request) : undefined,
        headers: request.headers,
      }),
    );
  } catch (error) {
    const problem = problemOf(error);
    // Of the others the provider makes something itself: what it did not find, what there is already, a row that has changed.
    if (holder !== undefined && (problem?.status === 400 || problem?.status === 403))
      await parts.onRefused(holder, `${problem.status} ${problem.message}`);
    return refuse(error, call);
  }
}

/** Guessed tokens are limited by address; the calls of a token by organization, as those of a program. */
async function actorOf(request: Request, call: Call, { store, limiter, holderOf, requireOn }: ScimParts) {
  const { address } = call.origin;
  const guesses = limiter.take('guess', address);
  if (guesses > 0) throw new TooMany(guesses);
  const token = /^bearer\s+(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  const holder = token === undefined ? undefined : await holderOf(token);
  if (holder === undefined) throw new ScimProblem(401, 'The SCIM key is missing, unknown or revoked.');
  limiter.giveBack('guess', address);
  requireOn();
  const { organizationId, tokenName } = holder;
  const seconds = limiter.take('token', `scim ${organizationId}`);
  if (seconds > 0) throw new TooMany(seconds);
  const actor: ScimActor = {
    organizationId,
    audit: (transaction, action, target, before, after) =>
      writeAudit(store, transaction, {
        actorId: 0,
        actorName: `SCIM: ${tokenName}`,
        address,
        action,
        target,
        before,
        after,
        requestId: call.requestId,
        organizationId,
      }),
  };
  return [holder, actor] as const;
}

class TooMany extends Error {
  readonly seconds: number;
  constructor(seconds: number) {
    super('too many requests');
    this.seconds = seconds;
  }
}

async function bodyOf(request: Request): Promise<unknown> {
  try {
    return await readJson(request);
  } catch (error) {
    if (error instanceof AppError && error.status >= 500) throw error;
    const isLong = error instanceof AppError && error.status === 413;
    throw new ScimProblem(
      isLong ? 413 : 400,
      'The body is no JSON, or too long.',
      isLong ? undefined : 'invalidSyntax',
    );
  }
}

function refuse(error: unknown, call: Call): Response {
  if (error instanceof TooMany)
    return respond({
      status: 429,
      body: problemBody(new ScimProblem(429, `Too many requests: try again in ${error.seconds} seconds.`)),
      headers: { 'Retry-After': String(error.seconds) },
    });
  const problem = problemOf(error);
  if (problem === undefined) call.log.error('SCIM call failed', { error });
  const shown = problem ?? new ScimProblem(500, 'The server failed. Try again later.');
  return respond({
    status: shown.status,
    body: problemBody(shown),
    ...(shown.status === 401 ? { headers: { 'WWW-Authenticate': 'Bearer' } } : {}),
  });
}

function respond({ status, body, headers = {} }: Answer): Response {
  return new Response(body === undefined ? null : JSON.stringify(body), {
    status,
    headers: {
      ...(body === undefined ? {} : { 'Content-Type': SCIM_TYPE }),
      'Cache-Control': 'no-store',
      ...headers,
    },
  });
}
