// One request to a channel's upstream outside the relay, with the channel's address, key and headers, by server/platform/egress. An
// error becomes a fact without the key.
import { isJsonObject } from '#contract/relay/channel-fields.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { AppError } from '#contract/errors.ts';
import { factText, wordsInBoth } from '#contract/facts.ts';
import {
  ConnectionError,
  connectionFact,
  EgressError,
  egressFact,
  parseProxy,
  readAll,
} from '#server/platform/egress/index.ts';
import { joinVersion } from '#server/models/providers/openai-compatible/style.ts';
import { providerOf } from '#server/models/providers/index.ts';
import { errorText, parse } from '#server/models/providers/probe.ts';
import { operatorText } from '#server/models/providers/operator-text.ts';
import { refusedFormatsOf } from '#server/models/providers/spoken.ts';
import type { Provider, ProviderChannel, SigningTools } from '#server/models/providers/provider.ts';
import { signingTools } from '#server/models/providers/signing/tools.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { channelRow } from './change.ts';
import type { UpstreamDependencies } from './dependencies.ts';
import { keysOf, privateRefusal } from './fields.ts';
import { openChannelKey } from '#server/relay/channel-choice/key.ts';
import { destinationOf } from './destination.ts';
import { proxyOf } from './proxy.ts';
import { factsOf } from './types.ts';

type Columns = 'type' | 'base_url' | 'other' | 'openai_organization' | 'header_override' | 'setting';

/** The fields of a channel that a request to its upstream needs, from a row or a form. */
export interface UpstreamTarget extends Pick<Row<'channels'>, Columns> {
  key: string;
  /** What was learned of the stored channel. */
  refused_formats?: string;
  /** The channel whose stored key this is; undefined: the key comes from the form. */
  keptIn?: number;
}

export type UpstreamAnswer =
  | { isOk: true; status: number; value: unknown; milliseconds: number }
  | {
      isOk: false;
      status: number;
      /** A fact: its words depend on the reader. */
      detail: string;
      milliseconds: number;
      /** Our own refusal of a private address, which the super admin can allow. */
      refusal?: AppError | undefined;
    };

/** Why nothing came, in the caller's language. */
export const failureOf = (
  code: 'channel_test_failed' | 'channel_list_failed' | 'channel_balance_failed',
  { detail, refusal }: { detail: string; refusal?: AppError | undefined },
  extra: Record<string, unknown> = {},
): AppError => {
  if (refusal === undefined) return new AppError(code, { detail: wordsInBoth(detail) }, extra);
  return new AppError('channel_address_private', refusal.parameters, {
    field: 'base_url',
    ...refusal.extra,
    ...extra,
  });
};

const ANSWER_BYTES = 4 * 1024 * 1024;

export function targetOf(dependencies: UpstreamDependencies, row: Row<'channels'>): UpstreamTarget {
  return { ...row, key: openChannelKey(dependencies.store.vault, row), keptIn: row.id };
}

interface Draft extends Pick<Row<'channels'>, Columns> {
  id?: number;
  key: string;
}

/** Form values. A stored key is sent only to the stored address. */
export async function draftTarget(dependencies: UpstreamDependencies, draft: Draft): Promise<UpstreamTarget> {
  const [key] = keysOf(dependencies, draft.type, draft.key);
  if (key !== undefined) return { ...draft, key };
  if (draft.id === undefined) throw new AppError('channel_key_required', {}, { field: 'key' });
  const row = await channelRow(dependencies, draft.id);
  if (destinationOf(row) !== destinationOf(draft)) {
    throw new AppError('channel_key_needed_for_address', {}, { field: 'key' });
  }
  return { ...draft, key: openChannelKey(dependencies.store.vault, row), keptIn: row.id };
}

export function providerFor(type: number): Provider {
  const provider = providerOf(type);
  if (provider) return provider;
  throw new AppError('channel_type_not_ready', { name: factsOf(type)?.name ?? type });
}

export function providerChannel(target: UpstreamTarget): ProviderChannel {
  return {
    baseUrl: target.base_url,
    key: target.key,
    organization: target.openai_organization,
    other: target.other,
    refusedFormats: refusedFormatsOf(target.refused_formats ?? '', parse(target.setting)),
  };
}

/** An address below the channel's base; of a custom channel with a whole address only the origin is used. */
export function addressBelow(target: Pick<Draft, 'type' | 'base_url'>, path: string): string {
  const base = target.base_url || (factsOf(target.type)?.baseUrl ?? '');
  const url = URL.parse(base);
  const isWholeAddress =
    target.type === CHANNEL_TYPE.custom && url !== null && !/^\/(v1\/?)?$/.test(url.pathname);
  return joinVersion(isWholeAddress ? url.origin : base, path);
}

interface UpstreamRequest {
  url: string;
  /** Replace the provider's own authentication headers. */
  headers?: Record<string, string>;
  /** Sent as JSON by POST; without it the call is a GET. */
  body?: unknown;
  /** Sent over a WebSocket. */
  isSocket?: boolean;
  timeoutSeconds: number;
  signal?: AbortSignal;
}

interface Reply {
  status: number;
  text: string;
  /** Until the first byte of the body. */
  firstMilliseconds?: number;
}

export async function callUpstream(
  dependencies: UpstreamDependencies,
  target: UpstreamTarget,
  request: UpstreamRequest,
): Promise<UpstreamAnswer> {
  const answer = await askUpstream(dependencies, target, request);
  if (!answer.isOk) return answer;
  const { status, text, milliseconds } = answer;
  const value = parse(text);
  const error = refusalIn(target, value, status) ?? errorText(value);
  if (status === 200 && value !== undefined && error === undefined) {
    return { isOk: true, status, value, milliseconds };
  }
  const message = error ?? text.replaceAll(/\s+/g, ' ').trim();
  return {
    isOk: false,
    status,
    milliseconds,
    detail: factText('upstreamSaid', { status, words: operatorText(message, target.key) }),
  };
}

export type RawAnswer =
  | (Reply & { isOk: true; milliseconds: number })
  | { isOk: false; status: 0; detail: string; milliseconds: number; refusal?: AppError | undefined };

/** The response whatever its status; only a missing response is a failure. */
export async function askUpstream(
  dependencies: UpstreamDependencies,
  target: UpstreamTarget,
  request: UpstreamRequest,
): Promise<RawAnswer> {
  const started = performance.now();
  const elapsed = () => Math.max(1, Math.round(performance.now() - started));
  try {
    const reply = await send(dependencies, target, request);
    return { isOk: true, ...reply, milliseconds: elapsed() };
  } catch (error) {
    const detail = failureFact(error, target.key);
    return { isOk: false, status: 0, milliseconds: elapsed(), detail, refusal: refusalOf(error, target) };
  }
}

/** Why there was no answer, as it is stored: the readers of a channel may use either language. */
function failureFact(error: unknown, key: string): string {
  if (error instanceof EgressError) return egressFact(error);
  if (error instanceof ConnectionError) return connectionFact(error);
  return operatorText(error instanceof Error ? error.message : String(error), key);
}

/** Undefined unless the super admin can allow the address. */
function refusalOf(error: unknown, { setting }: UpstreamTarget): AppError | undefined {
  if (!(error instanceof EgressError) || error.reason !== 'private_address') return undefined;
  const proxy = parseProxy(proxyOf(setting));
  const isOfProxy = proxy !== undefined && error.detail.replace('[', '').startsWith(proxy.hostname);
  return privateRefusal(error, isOfProxy ? 'setting' : 'base_url');
}

async function send(
  dependencies: UpstreamDependencies,
  target: UpstreamTarget,
  { url: address, headers: given, body, isSocket, timeoutSeconds, signal }: UpstreamRequest,
): Promise<Reply> {
  const { egress } = dependencies;
  const provider = providerOf(target.type);
  const channel = providerChannel(target);
  const proxy = proxyOf(target.setting);
  const tools = toolsFor(dependencies, target, proxy);
  const text = body === undefined ? '' : JSON.stringify(body);
  const method = body === undefined ? 'GET' : 'POST';
  const plain = new URL(address);
  const url = (await provider?.signedUrl?.(channel, plain, tools)) ?? plain;
  const shown = {
    Accept: 'application/json',
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(given ?? provider?.headers(channel)),
    ...overrides(target.header_override),
  };
  const unsigned = { method, url, body: text, headers: shown };
  const proof = given === undefined ? await provider?.authorize?.(channel, unsigned, tools) : undefined;
  const headers = { ...shown, ...proof };
  if (isSocket === true) {
    const timeouts = {
      firstByteSeconds: timeoutSeconds,
      idleSeconds: timeoutSeconds,
      totalSeconds: timeoutSeconds,
    };
    const found = await egress.target('channel', url.origin, proxy);
    const path = url.pathname + url.search;
    const call = egress.openSocket(found, { path, headers: new Headers(headers), message: text, timeouts });
    const answer = await call.answer;
    return { status: answer.status, text: (await readAll(call, answer, ANSWER_BYTES)).toString() };
  }
  const asked = performance.now();
  let firstAt: number | undefined;
  const response = await egress.fetch('channel', url.href, {
    method,
    headers,
    ...(body === undefined ? {} : { body: text }),
    timeoutSeconds,
    ...(signal ? { signal } : {}),
    ...(proxy === '' ? {} : { proxy }),
    limitBytes: ANSWER_BYTES,
    onFirst: () => {
      firstAt = performance.now();
    },
  });
  return {
    status: response.status,
    text: await response.text(),
    firstMilliseconds: Math.max(1, Math.round((firstAt ?? performance.now()) - asked)),
  };
}

function toolsFor(
  { egress, tokenCache, now, renewKey }: UpstreamDependencies,
  { keptIn }: UpstreamTarget,
  proxy: string,
): SigningTools {
  const tools = signingTools(
    {
      fetch: (url, request) =>
        egress.fetch('channel', url, { ...request, ...(proxy === '' ? {} : { proxy }) }),
      ...(now ? { now: () => new Date(now() * 1000) } : {}),
    },
    tokenCache,
  );
  return keptIn === undefined || renewKey === undefined
    ? tools
    : { ...tools, renewKey: (renew) => renewKey(keptIn, renew) };
}

function refusalIn(target: UpstreamTarget, value: unknown, status: number): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const refusal = providerOf(target.type)?.refusalIn?.(value as Record<string, unknown>, status);
  return refusal === undefined ? undefined : `${refusal.code} ${refusal.message}`.trim();
}

function overrides(text: string): Record<string, string> {
  if (!isJsonObject(text)) return {};
  const entries = Object.entries(JSON.parse(text) as Record<string, unknown>);
  // As the relay reads them: a number is sent as its text.
  return Object.fromEntries(
    entries.flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [],
    ),
  );
}
