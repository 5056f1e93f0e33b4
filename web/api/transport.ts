/**
 * Sends a call of the contract: user-id, organization and language headers, the envelope check, and the one place where an HTTP
 * status becomes a sentence.
 */
import { getI18n } from 'react-i18next';
import type { Envelope, FieldProblem } from '#contract/endpoint.ts';
import type { Call, Transport } from '#contract/client.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { earlyAnswer } from './early.ts';
import { ApiError } from './errors.ts';
import { currentScope } from './scope.ts';
import { storedUser } from './session.ts';
import { stepUp } from './step-up.ts';

let signedOut: () => void = () => undefined;

/** The application registers what a 401 does: clear the user and go to the login page. */
export function onSignedOut(handler: () => void): void {
  signedOut = handler;
}

async function readEnvelope(response: Response): Promise<Partial<Envelope>> {
  try {
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

function statusMessage(status: number, message: string | undefined): string {
  const { t } = getI18n();
  switch (status) {
    case 401:
      return t('http.signedOut', { ns: 'shell' });
    case 405:
      return t('http.demo', { ns: 'shell' });
    case 429:
      return t('http.tooMany', { ns: 'shell' });
    case 500:
      return t('http.internal', { ns: 'shell' });
    default:
      return t('http.other', { ns: 'shell', message: message || `HTTP ${status}` });
  }
}

/** Several fields when the schema refused the request, one when a rule did. */
function refusedFields({ field, fields, message = '' }: Partial<Envelope>): readonly FieldProblem[] {
  if (fields) return fields;
  return field === undefined ? [] : [{ field, message }];
}

/** Seconds; undefined when the header is missing or not a number. */
function retryAfter(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after'));
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}

/** For whom a call is: the user, and the organization where it can act for one. */
export function callerHeaders(isScoped: boolean): Record<string, string> {
  const user = storedUser();
  const scope = isScoped ? currentScope() : undefined;
  return {
    ...(user ? { 'New-Api-User': String(user.id) } : {}),
    ...(scope ? { 'Tollgate-Organization': String(scope.id) } : {}),
  };
}

async function send({ endpoint, method, url, body, signal }: Call): Promise<Response> {
  const isScoped = endpoint.organization !== undefined;
  const early = await earlyAnswer(method, url, isScoped ? currentScope()?.id : undefined);
  if (early) return early;
  const headers: Record<string, string> = {
    Accept: 'application/json',
    'Accept-Language': currentLanguage(),
    ...callerHeaders(isScoped),
  };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  try {
    return await fetch(url, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      credentials: 'same-origin',
      cache: 'no-store',
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(getI18n().t('http.unreachable', { ns: 'shell' }), { status: 0 });
  }
}

async function request(call: Call, isRepeated: boolean): Promise<Awaited<ReturnType<Transport>>> {
  const response = await send(call);
  const envelope = await readEnvelope(response);
  const details = {
    status: response.status,
    code: envelope.code,
    fields: refusedFields(envelope),
    privateAddresses: envelope.private_addresses,
    conflict: envelope.conflict,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: retryAfter(response),
  };
  if (response.status === 401) signedOut();
  if (envelope.code === 'step_up_required' && !isRepeated && (await stepUp())) return request(call, true);
  if (!response.ok) throw new ApiError(statusMessage(response.status, envelope.message), details);
  if (envelope.success !== true) {
    throw new ApiError(envelope.message || getI18n().t('http.noAnswer', { ns: 'shell' }), details);
  }
  return { ...envelope, data: envelope.data };
}

export const transport: Transport = (call) => request(call, false);
