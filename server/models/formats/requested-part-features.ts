// What parts of messages and tools may ask for beside their content. A codec says what it carries; the rest is noted as lost,
// once for each kind, in whatever message it stands.
import type {
  CacheHint,
  CanonicalPart,
  CanonicalRequest,
  ConversionNote,
  MediaPart,
  ProviderTool,
} from './canonical.ts';
import { approximate, drop, dropAttachment } from './extras.ts';
import { isObject, list, member, type Json } from './json.ts';
import { isMedia } from './media.ts';
import type { OwnDeclaration } from './own-declaration.ts';

export interface CarriedParts {
  /** Marks of what to cache: all of them, without their time, or none. */
  cache?: 'all' | 'without time' | 'none';
  citations?: boolean;
  detail?: boolean;
  /** Members of documents in Anthropic's format. */
  options?: boolean;
  strictTools?: boolean;
  /** Names of the people in a conversation. */
  names?: boolean;
  /** The name of a picture, recording or document. */
  filename?(part: MediaPart): boolean;
}

export function notePartLosses(
  request: CanonicalRequest,
  carried: CarriedParts,
  notes: ConversionNote[],
): void {
  const check = (part: CanonicalPart): void => {
    if ('cache' in part) noteCache(part.cache, carried, notes);
    if (part.type === 'text' && part.citations !== undefined && carried.citations !== true)
      drop(notes, 'content.citations', 'sources of an earlier answer have no place here');
    if (part.type === 'tool_result') part.content.forEach(check);
    if (part.type === 'tool_result' || part.type === 'tool_call') noteOwn(part.own, notes);
    if (isMedia(part)) noteMedia(part, carried, notes);
  };
  for (const { content, name } of request.messages) {
    content.forEach(check);
    if (name !== undefined && carried.names !== true)
      drop(notes, 'messages.name', 'turns have no names here');
  }
  for (const tool of request.tools ?? []) {
    if (tool.type === 'provider') continue;
    noteCache(tool.cache, carried, notes);
    if (tool.type === 'function' && tool.own !== undefined) {
      const kind = String(tool.own.item['type']);
      approximate(notes, `tools.${kind}`, 'a tool that the client runs is described as a function');
      noteOwn(tool.own, notes);
    }
    if (tool.type === 'function' && tool.strict === true && carried.strictTools !== true)
      drop(notes, 'tools.strict', 'the upstream’s tools are not strict');
    if (tool.namespaceDescription !== undefined)
      drop(notes, `tools.${tool.namespace ?? ''}.description`, 'groups of tools are not described here');
  }
}

function noteOwn(own: OwnDeclaration | undefined, notes: ConversionNote[]): void {
  for (const path of own?.lost ?? []) drop(notes, path, 'only OpenAI knows it');
}

function noteCache(
  hint: CacheHint | undefined,
  { cache = 'none' }: CarriedParts,
  notes: ConversionNote[],
): void {
  if (hint === undefined || cache === 'all') return;
  if (cache === 'none') drop(notes, 'cache_control', 'the upstream decides by itself what it keeps');
  else if (hint.ttl === '1h') drop(notes, 'cache_control.ttl', 'the upstream decides how long it keeps it');
}

function noteMedia(part: MediaPart, carried: CarriedParts, notes: ConversionNote[]): void {
  const field = `content.${part.type}`;
  if (part.detail !== undefined && part.detail !== 'auto' && carried.detail !== true)
    drop(notes, `${field}.detail`, 'the upstream decides how closely it looks');
  if (part.filename !== undefined && part.filename !== '' && carried.filename?.(part) !== true)
    drop(notes, `${field}.filename`, 'it has no name here');
  if (part.options === undefined || carried.options === true) return;
  const { source, ...options } = part.options;
  // The text of a result, and its title beside it, are in the part.
  const known = ['search_result.content[].text', 'search_result.title'];
  for (const path of leavesOf(options).filter((leaf) => !known.includes(leaf)))
    drop(notes, `${field}.${path}`, 'the upstream’s format has no such member');
  if (source === undefined) return;
  const blocks = list(member(source)['content']).filter(isObject);
  if (blocks.some((block) => block['type'] !== 'text'))
    dropAttachment(notes, 'image', 'a picture inside a document');
  for (const path of leavesOf({ content: blocks }))
    if (path !== 'content[].text')
      drop(notes, `${field}.source.${path}`, 'a document of blocks became its text');
}

const MOST_LEAVES = 20;

/** Paths of what an object sets, without positions in lists; `type` names the object and null or false sets nothing. */
export function leavesOf(value: unknown, path = ''): string[] {
  if (value === null || value === undefined || value === false) return [];
  if (Array.isArray(value)) {
    const items = value as unknown[];
    if (!items.some((item) => typeof item === 'object')) return items.length === 0 ? [] : [path];
    return [...new Set(items.flatMap((item) => leavesOf(item, `${path}[]`)))].slice(0, MOST_LEAVES);
  }
  if (!isObject(value)) return [path];
  const members = Object.entries(value).filter(([name]) => name !== 'type');
  if (members.length === 0) return path === '' ? [] : [path];
  return members
    .flatMap(([name, inner]) => leavesOf(inner, path === '' ? name : `${path}.${name}`))
    .slice(0, MOST_LEAVES);
}

/** A tool of a provider's became the upstream's tool for it; its options of other names are lost. */
export function noteToolOptions(
  tool: ProviderTool,
  carried: readonly string[],
  notes: ConversionNote[],
): void {
  const options: Json =
    tool.origin === 'google' && isObject(tool.config[tool.name])
      ? (tool.config[tool.name] as Json)
      : tool.config;
  const { name: _name, ...set } = options;
  for (const path of leavesOf(set))
    if (!carried.some((known) => path === known || path.startsWith(`${known}.`)))
      drop(notes, `tools.${tool.name}.${path}`, 'the upstream’s tool has no such option');
}

/** For upstreams that tell their thoughts in one way only. */
export function noteSummary({ reasoning }: CanonicalRequest, notes: ConversionNote[]): void {
  const summary = reasoning?.summary;
  if (summary === 'concise' || summary === 'detailed')
    approximate(notes, 'reasoning.summary', 'the upstream decides how it tells its thoughts');
}
