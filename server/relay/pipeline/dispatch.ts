// Builds the request for one channel and sends it through the outbound door.
import type { RunningCall } from '#server/relay/call/running-call.ts';
import { headerLines, type OutboundCall, type Target } from '#server/egress/index.ts';
import type { Format, SigningTools } from '#server/providers/provider.ts';
import { createTokenMemory, signingTools, type TokenMemory } from '#server/providers/signing/tools.ts';
import type { Channel } from '#server/relay/channels/catalog.ts';
import type { Core } from './core.ts';
import type { UpstreamBody } from '#server/relay/upstream/body-parts.ts';

export interface Dispatched {
  outbound: OutboundCall;
  upstream: UpstreamBody;
}

/** undefined: the caller hung up before anything was sent. */
export function dispatch(
  core: Core,
  call: RunningCall,
  channel: Channel,
): Dispatched | undefined | Promise<Dispatched | undefined> {
  if (channel.provider.takesContentOnly === true && call.prepared.inlineMedia !== undefined)
    return inlined(core, call, channel);
  return prepare(core, call, channel);
}

async function inlined(core: Core, call: RunningCall, channel: Channel): Promise<Dispatched | undefined> {
  await call.prepared.inlineMedia?.((url) => core.egress.fetch('user', url));
  return await prepare(core, call, channel);
}

function prepare(
  core: Core,
  call: RunningCall,
  channel: Channel,
): Dispatched | undefined | Promise<Dispatched | undefined> {
  const upstream = call.prepared.bodyFor(channel, call.requestId);
  call.record.upstreamModel = upstream.model;
  call.record.conversion = receiptOf(call, upstream);
  const address = addressOf(channel, upstream);
  if (channel.provider.signedUrl !== undefined) return signed(core, call, channel, upstream, address);
  return reach(core, call, channel, upstream, address);
}

/** The usual call waits for nothing before it leaves, so nothing is awaited then. */
function reach(
  core: Core,
  call: RunningCall,
  channel: Channel,
  upstream: UpstreamBody,
  address: ChannelAddress,
): Dispatched | undefined | Promise<Dispatched | undefined> {
  const target = core.egress.target('channel', address.origin, channel.setting.proxy);
  const headers = headersFor(core, call, channel, upstream, address);
  if (target instanceof Promise || headers instanceof Promise)
    return sendLater(core, call, upstream, address.path, target, headers);
  return send(core, call, upstream, address.path, target, headers);
}

async function sendLater(
  core: Core,
  call: RunningCall,
  upstream: UpstreamBody,
  path: string,
  target: Target | Promise<Target>,
  headers: string | Promise<string>,
): Promise<Dispatched | undefined> {
  const [found, lines] = await Promise.all([target, headers]);
  return send(core, call, upstream, path, found, lines);
}

function send(
  core: Core,
  call: RunningCall,
  upstream: UpstreamBody,
  path: string,
  target: Target,
  lines: string,
): Dispatched | undefined {
  if (call.hasLeft) return undefined;
  const { egress } = core;
  const { body } = upstream;
  const { timeouts } = core;
  const outbound =
    upstream.framing === 'websocket'
      ? egress.openSocket(target, { path, headers: lines, message: body, timeouts })
      : egress.open(target, { method: 'POST', path, headers: lines, body, timeouts });
  call.outbound = outbound;
  return { outbound, upstream };
}

/** What the log keeps of a conversion, as JSON; empty when nothing was changed. */
function receiptOf({ prepared }: RunningCall, { format, conversion, notes }: UpstreamBody): string {
  if (conversion === undefined && notes.length === 0) return '';
  // Names of fields are the caller's to choose: neither their number nor their length may swell the log.
  const kept = notes.slice(0, mostNotes).map(({ field, what, detail }) => ({
    field: field.slice(0, 100),
    what,
    detail: detail.slice(0, 300),
  }));
  return JSON.stringify({ from: prepared.endpoint.format, to: format, notes: kept });
}

const mostNotes = 50;

function headersFor(
  core: Core,
  call: RunningCall,
  channel: Channel,
  upstream: UpstreamBody,
  url: ChannelAddress,
): string | Promise<string> {
  const passed = forwarded(call.request.headers, upstream.format, channel);
  if (channel.provider.authorize !== undefined) return authorized(core, channel, upstream, url, passed);
  if (passed === undefined) return usualHeaders(channel, upstream.contentType);
  return headerLines({ ...channel.headers, ...passed }) + contentHeaders(upstream.contentType);
}

const jsonHeaders = new WeakMap<Channel, string>();

/** The same text for every call of JSON, so that what is made of it need not be made again. */
function usualHeaders(channel: Channel, contentType: string): string {
  if (contentType !== 'application/json') return channel.headerLines + contentHeaders(contentType);
  let lines = jsonHeaders.get(channel);
  if (lines === undefined)
    jsonHeaders.set(channel, (lines = channel.headerLines + contentHeaders(contentType)));
  return lines;
}

function authorized(
  core: Core,
  channel: Channel,
  upstream: UpstreamBody,
  url: ChannelAddress,
  passed: Record<string, string> | undefined,
): string | Promise<string> {
  const content = contentHeaders(upstream.contentType);
  const headers = { ...channel.headers, ...passed };
  const unsigned = {
    method: 'POST',
    url: new URL(url.origin + url.path),
    body: upstream.body,
    headers: { ...headers, 'Content-Type': upstream.contentType },
  };
  const added = channel.provider.authorize?.(channel, unsigned, toolsFor(core, channel)) ?? {};
  if (!(added instanceof Promise)) return headerLines({ ...headers, ...added }) + content;
  return added.then((more) => headerLines({ ...headers, ...more }) + content);
}

async function signed(
  core: Core,
  call: RunningCall,
  channel: Channel,
  upstream: UpstreamBody,
  { origin, path }: ChannelAddress,
): Promise<Dispatched | undefined> {
  const url = new URL(origin + path);
  const made = (await channel.provider.signedUrl?.(channel, url, toolsFor(core, channel))) ?? url;
  const address = { origin: made.origin, path: made.pathname + made.search };
  return await reach(core, call, channel, upstream, address);
}

const proxiedMemories = new WeakMap<Core, TokenMemory>();

/** A key is exchanged for a token by the way the channel's calls go. */
export function toolsFor(core: Core, channel: Channel): SigningTools {
  const tools = exchangeTools(core, channel);
  const { renewKey } = core;
  if (channel.provider.renewsKey !== true || renewKey === undefined) return tools;
  return { ...tools, renewKey: (renew) => renewKey(channel.id, renew) };
}

function exchangeTools(core: Core, { setting: { proxy } }: Channel): SigningTools {
  if (proxy === '') return core.signing;
  let memory = proxiedMemories.get(core);
  if (memory === undefined) proxiedMemories.set(core, (memory = createTokenMemory()));
  const { egress } = core;
  return signingTools(
    { fetch: (url, request) => egress.fetch('channel', url, { ...request, proxy }) },
    memory,
  );
}

/** Client headers that mean something to an upstream of this format; everything else stays here. */
const forwardedHeaders: Partial<Record<Format, readonly string[]>> = {
  'openai-chat': ['openai-beta'],
  'openai-responses': ['openai-beta'],
  'openai-completions': ['openai-beta'],
  'anthropic-messages': ['anthropic-beta', 'anthropic-version'],
};

/** Under the names the channel itself uses, so that the caller's word takes the place of ours. */
function forwarded(
  headers: Pick<Headers, 'get'>,
  format: Format,
  channel: Channel,
): Record<string, string> | undefined {
  let found: Record<string, string> | undefined;
  for (const name of forwardedHeaders[format] ?? []) {
    const given = headers.get(name)?.slice(0, 1000);
    // A header the operator set on the channel is the operator's.
    if (given === undefined || channel.ownHeaders.has(name)) continue;
    const { provider } = channel;
    const value = provider.callerHeader === undefined ? given : provider.callerHeader(name, given);
    if (value !== undefined) (found ??= {})[name] = value;
  }
  return found;
}

const contentHeaderLines = new Map<string, string>();

function contentHeaders(contentType: string): string {
  let lines = contentHeaderLines.get(contentType);
  if (lines === undefined) {
    lines = headerLines({ 'Content-Type': contentType, Accept: '*/*', 'User-Agent': 'Tollgate' });
    // Multipart boundaries differ each time and are not worth keeping.
    if (contentHeaderLines.size < 16) contentHeaderLines.set(contentType, lines);
  }
  return lines;
}

interface ChannelAddress {
  origin: string;
  path: string;
}

interface KnownAddress extends ChannelAddress {
  callPath: string;
  isStream: boolean;
}

/** By model: no key has to be put together for a call. */
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
