// `/v1/organization/…` on the public port, except the reports: an organization's admin key manages it in OpenAI's shapes.
import type { Context, Hono } from 'hono';
import {
  ApiProblem,
  ORGANIZATION_PATHS,
  type OrganizationClient,
} from '#server/admin/organization-api/index.ts';
import { ParameterError, Parameters } from '#server/admin/query-parameters.ts';
import { scopeOf, type OrganizationDependencies, type Refused } from '#server/admin/usage-api/index.ts';
import { AppError } from '#contract/errors.ts';
import { languageOf } from '#contract/language.ts';
import { readJson } from './body.ts';
import type { Call, HonoEnvironment } from './call.ts';
import { answerOf } from './errors.ts';
import { RefusedCall, type InnerCaller } from './inner-api.ts';
import type { Limiter } from './limits.ts';

export interface OrganizationApiParts {
  reports: OrganizationDependencies;
  clientOf: (inner: InnerCaller) => OrganizationClient;
  limiter: Limiter;
}

interface Problem {
  status: number;
  message: string;
  code: string;
  parameter: string | null;
  retryAfter?: string | null;
}

const ROOT = '/v1/organization/';

/** Methods that the SDKs use; another one is refused by the path. */
export function mountOrganizationApi(app: Hono<HonoEnvironment>, parts: OrganizationApiParts): void {
  for (const [path, methods] of Object.entries(ORGANIZATION_PATHS)) {
    const pattern = ROOT + path.replaceAll(/\{(\w+)\}/g, ':$1');
    for (const [method, answering] of Object.entries(methods))
      app.on(method, pattern, (context) =>
        answer(context, async (call) => {
          const { organizationId, caller } = await managerOf(context, call, parts);
          const request = context.req.raw;
          return await answering({
            store: parts.reports.store,
            organizationId,
            client: parts.clientOf({ caller, organizationId, call }),
            parameters: new Parameters(new URL(request.url).searchParams),
            ids: context.req.param(),
            body: method === 'POST' ? await bodyOf(request) : {},
          });
        }),
      );
  }
  app.all(`${ROOT}*`, (context) =>
    answer(context, async (call) => {
      await managerOf(context, call, parts);
      throw new ApiProblem(
        404,
        'unsupported',
        `${context.req.method} ${context.req.path.slice(0, 200)} is not offered here. Organizations have users, invites, projects, service accounts, API keys, admin keys, audit logs, usage and costs.`,
      );
    }),
  );
}

const REFUSALS: Readonly<Record<Refused, { status: number; code: string; message: string }>> = {
  not_admin: {
    status: 401,
    code: 'admin_key_required',
    message: 'This address takes an admin key (sk-admin-…), not an API key.',
  },
  unknown: { status: 401, code: 'invalid_api_key', message: 'The admin key is not known or was revoked.' },
  owner_disabled: {
    status: 403,
    code: 'user_disabled',
    message: 'The account of the member who made this admin key is disabled.',
  },
};

async function managerOf(
  context: Context<HonoEnvironment>,
  call: Call,
  { reports, limiter }: OrganizationApiParts,
) {
  // Before the key is looked up, so that keys cannot be tried out.
  const seconds = limiter.take('api', call.origin.address);
  if (seconds > 0) throw new AppError('too_many_requests', { seconds });
  const header = context.req.header('authorization') ?? '';
  const key = /^bearer\s+(.+)$/i.exec(header)?.[1]?.trim() ?? '';
  const found = await scopeOf(reports, key);
  if (typeof found === 'string') throw new Refusal(REFUSALS[found]);
  if (found.member === undefined)
    throw new Refusal({
      status: 403,
      code: 'organization_key_required',
      message: 'This admin key reads usage only. An owner or admin of the organization must make one for it.',
    });
  return found.member;
}

class Refusal extends Error {
  readonly answer: { status: number; code: string; message: string };

  constructor(answer: Refusal['answer']) {
    super(answer.message);
    this.answer = answer;
  }
}

async function bodyOf(request: Request): Promise<Record<string, unknown>> {
  const body = await readJson(request);
  if (body === undefined || body === null) return {};
  if (typeof body !== 'object' || Array.isArray(body))
    throw new ApiProblem(400, 'invalid_value', 'The body is no JSON object.');
  return body as Record<string, unknown>;
}

async function answer(
  context: Context<HonoEnvironment>,
  work: (call: Call) => Promise<object>,
): Promise<Response> {
  // Programs: English unless they ask for another language.
  const language = languageOf(context.req.header('accept-language') ?? null, 'en');
  const call = { ...context.get('call'), language };
  try {
    return respond(await work(call), 200);
  } catch (error) {
    const { status, message, code, parameter, retryAfter } = problemOf(error, call);
    const type =
      status === 401 ? 'authentication_error' : status === 403 ? 'permission_error' : 'invalid_request_error';
    const body = { error: { message, type: status >= 500 ? 'api_error' : type, param: parameter, code } };
    return respond(body, status, retryAfter ? { 'Retry-After': retryAfter } : {});
  }
}

function problemOf(error: unknown, call: Call): Problem {
  if (error instanceof ApiProblem) {
    const { status, message, code, parameter } = error;
    return { status, message, code, parameter };
  }
  if (error instanceof Refusal) return { ...error.answer, parameter: null };
  if (error instanceof ParameterError)
    return {
      status: 400,
      code: 'invalid_value',
      message: `${error.parameter} cannot be read.`,
      parameter: error.parameter,
    };
  if (error instanceof RefusedCall) {
    const { message, code = 'refused', field } = error.envelope;
    // The console answers some refusals with 200; a program needs a status.
    return {
      status: Math.max(error.status, 400),
      message,
      code,
      parameter: field ?? null,
      retryAfter: error.retryAfter,
    };
  }
  const { status, body, headers } = answerOf(error, call);
  return {
    status: Math.max(status, 400),
    message: body.message,
    code: body.code ?? 'internal',
    parameter: body.field ?? null,
    retryAfter: headers['Retry-After'] ?? null,
  };
}

function respond(body: object, status: number, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
  });
}
