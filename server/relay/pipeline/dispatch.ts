// Builds the request for one channel and sends it through the outbound door.
import type { RunningCall } from '#server/relay/call/running-call.ts';
import { withHeaders, type OutboundCall } from '#server/platform/egress/index.ts';
import type { Format, SigningTools } from '#server/models/providers/provider.ts';
import { createTokenCache, signingTools, type TokenCache } from '#server/models/providers/signing/tools.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { spokenFormat } from '#server/relay/channel-choice/select.ts';
import type { Core } from './core.ts';
import { FORWARDED_HEADERS } from '#server/relay/request/forwarded-headers.ts';
import { receiptOf, type UpstreamBody } from '#server/relay/upstream-body/upstream-body.ts';

export interface Dispatched {
  outbound: OutboundCall;
  upstream: UpstreamBody;
}

/** What is sent of a call. */
export interface DispatchedCall extends Pick<
  RunningCall,
  'requestId' | 'prepared' | 'hasLeft' | 'outbound' | 'cover'
> {
  readonly request: { readonly headers: Pick<Headers, 'get'> };
  readonly record: Pick<RunningCall['record'], 'upstreamModel' | 'conversion'>;
}

/** undefined: the caller hung up before anything was sent. */
export async function dispatch(
  core: Core,
  call: DispatchedCall,
  channel: Channel,
): Promise<Dispatched | undefined> {
  const { egress, timeouts } = core;
  const kind = inlinedKind(call, channel);
  if (kind !== undefined) await call.prepared.inlineMedia?.((url) => egress.fetch('user', url), kind);
  const upstream = call.prepared.bodyFor(channel, call.requestId);
  call.record.upstreamModel = upstream.model;
  call.record.conversion = receiptOf(call.prepared, upstream);
  // Most channels need no wait here, and an await that has nothing to wait for costs about as much as a small function.
  const { provider } = channel;
  const address = addressOf(channel, upstream);
  const { origin, path } =
    provider.signedUrl === undefined ? address : await signAddress(core, channel, address);
  const found = egress.target('channel', origin, channel.setting.proxy);
  const target = found instanceof Promise ? await found : found;
  const sent = unsignedHeaders(call, channel, upstream);
  const headers =
    provider.authorize === undefined
      ? sent
      : await signHeaders(core, channel, { url: origin + path, body: upstream.body, headers: sent });
  if (call.hasLeft) return undefined;
  const { body } = upstream;
  const outbound =
    upstream.framing === 'websocket'
      ? egress.openSocket(target, { path, headers, message: body, timeouts })
      : egress.open(target, { method: 'POST', path, headers, body, timeouts });
  call.outbound = outbound;
  call.cover?.begin(performance.now());
  return { outbound, upstream };
}

/** What must be downloaded for the upstream: everything, or documents, which a chat takes by content only. */
function inlinedKind({ prepared }: DispatchedCall, channel: Channel): 'all' | 'files' | undefined {
  if (channel.provider.takesContentOnly === true) return 'all';
  const { endpoint, model } = prepared;
  if (endpoint.format === 'openai-chat' || prepared.inlineMedia === undefined) return undefined;
  return spokenFormat(channel, endpoint.format, model) === 'openai-chat' ? 'files' : undefined;
}

async function signAddress(core: Core, channel: Channel, address: ChannelAddress): Promise<ChannelAddress> {
  const url = new URL(address.origin + address.path);
  const signed = (await channel.provider.signedUrl?.(channel, url, toolsFor(core, channel))) ?? url;
  return { origin: signed.origin, path: signed.pathname + signed.search };
}

function unsignedHeaders(
  call: DispatchedCall,
  channel: Channel,
  { format, contentType }: UpstreamBody,
): Headers {
  const passed = forwarded(call.request.headers, format, channel);
  if (passed === undefined && channel.provider.authorize === undefined && contentType === JSON)
    return usualHeaders(channel);
  return withHeaders(new Headers(channel.headers), { ...passed, 'Content-Type': contentType });
}

async function signHeaders(
  core: Core,
  channel: Channel,
  { url, body, headers }: { url: string; body: UpstreamBody['body']; headers: Headers },
): Promise<Headers> {
  const unsigned = { method: 'POST', url: new URL(url), body, headers: Object.fromEntries(headers) };
  const added = await channel.provider.authorize?.(channel, unsigned, toolsFor(core, channel));
  return withHeaders(headers, added ?? {});
}

const JSON = 'application/json';
const jsonHeaders = new WeakMap<Channel, Headers>();

/** The same object for every JSON call of a channel: making one costs several microseconds. */
function usualHeaders(channel: Channel): Headers {
  let headers = jsonHeaders.get(channel);
  if (headers === undefined) {
    headers = withHeaders(new Headers(channel.headers), { 'Content-Type': JSON });
    jsonHeaders.set(channel, headers);
  }
  return headers;
}

const proxiedCaches = new WeakMap<Core, TokenCache>();

/** A key is exchanged for a token through the channel's proxy. */
export function toolsFor(core: Core, channel: Channel): SigningTools {
  const tools = exchangeTools(core, channel);
  const { renewKey } = core;
  if (channel.provider.renewsKey !== true || renewKey === undefined) return tools;
  return { ...tools, renewKey: (renew) => renewKey(channel.id, renew) };
}

function exchangeTools(core: Core, { setting: { proxy } }: Channel): SigningTools {
  if (proxy === '') return core.signing;
  let cache = proxiedCaches.get(core);
  if (cache === undefined) proxiedCaches.set(core, (cache = createTokenCache()));
  const { egress } = core;
  return signingTools(
    { fetch: (url, request) => egress.fetch('channel', url, { ...request, proxy }) },
    cache,
  );
}

export function forwarded(
  given: Pick<Headers, 'get'>,
  format: Format,
  channel: Channel,
): Record<string, string> | undefined {
  let found: Record<string, string> | undefined;
  for (const name of FORWARDED_HEADERS[format] ?? []) {
    const value = given.get(name)?.slice(0, 1000);
    // The operator's own header of a channel is not replaced by the caller's.
    if (value === undefined || channel.ownHeaders.has(name)) continue;
    const { provider } = channel;
    const sent = provider.callerHeader === undefined ? value : provider.callerHeader(name, value);
    if (sent !== undefined) (found ??= {})[name] = sent;
  }
  return found;
}

interface ChannelAddress {
  origin: string;
  path: string;
}

interface KnownAddress extends ChannelAddress {
  callPath: string;
  isStream: boolean;
}

/** By model, so that no key is built for each call. */
const addresses = new WeakMap<Channel, Map<string, KnownAddress[]>>();

function addressOf(channel: Channel, { format, path, model, isStream }: UpstreamBody): ChannelAddress {
  let known = addresses.get(channel);
  if (known === undefined) addresses.set(channel, (known = new Map()));
  let list = known.get(model);
  if (list === undefined) {
    if (known.size >= 1000) known.clear();
    known.set(model, (list = []));
  }
  for (const each of list) if (each.callPath === path && each.isStream === isStream) return each;
  const url = new URL(channel.provider.url(channel, { format, path, model, isStream }));
  const made = { callPath: path, isStream, origin: url.origin, path: url.pathname + url.search };
  list.push(made);
  return made;
}
