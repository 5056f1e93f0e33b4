// Fields of one format only. They pass between equal formats; between others each lost field is noted.
import type { CanonicalRequest, ConversionNote, FormatName } from './canonical.ts';

/** Fields that are converted elsewhere, or have no meaning outside their format. */
const UNDERSTOOD: Readonly<Record<FormatName, ReadonlySet<string>>> = {
  'openai-chat': new Set([
    'stream_options',
    'reasoning',
    'thinking',
    'web_search_options',
    'functions',
    'function_call',
  ]),
  'openai-responses': new Set(['stream_options', 'background']),
  'anthropic-messages': new Set(['anthropic_version', 'anthropic_beta', 'betas']),
  'gemini-generate': new Set([]),
};

/** Fields that Chat and Responses both have under these names, at OpenAI. */
const OF_OPEN_AI = ['prompt_cache_retention', 'prompt_cache_options', 'moderation'];

/** `isOpenAi`: the upstream is OpenAI's, in one of its two formats. */
export function carryExtra(
  request: CanonicalRequest,
  format: FormatName | undefined,
  notes: ConversionNote[],
  isOpenAi = false,
): Record<string, unknown> {
  const isOwn = request.format === format;
  for (const path of request.unread ?? []) {
    const [top = ''] = path.split(/[.[]/);
    if (!isOwn || !Object.hasOwn(request.extra, top)) drop(notes, path, 'no format here has such a member');
  }
  if (isOwn) return request.extra;
  const isShared = isOpenAi && (request.format === 'openai-chat' || request.format === 'openai-responses');
  const shared = isShared ? Object.entries(request.extra).filter(([name]) => OF_OPEN_AI.includes(name)) : [];
  for (const [name, value] of Object.entries(request.extra)) {
    const isEmpty = Array.isArray(value) && value.length === 0;
    const isKept = UNDERSTOOD[request.format].has(name) || shared.some(([kept]) => kept === name);
    if (!isKept && !isEmpty) drop(notes, name, 'only the caller’s format has it');
  }
  return Object.fromEntries(shared);
}

export function drop(notes: ConversionNote[], field: string, detail: string): void {
  note(notes, field, 'dropped', detail);
}

/** An attachment of the caller's that the upstream cannot take; the relay refuses such a call. */
export function dropAttachment(notes: ConversionNote[], kind: string, detail: string): void {
  const field = `content.${kind}`;
  if (notes.some((known) => known.isAttachment === true && known.field === field)) return;
  notes.push({ field, what: 'dropped', detail, isAttachment: true });
}

export function approximate(notes: ConversionNote[], field: string, detail: string): void {
  note(notes, field, 'approximated', detail);
}

const MOST_NOTES = 100;

/** Once per field and reason, up to a limit: a long conversation must not produce a long receipt. */
function note(notes: ConversionNote[], field: string, what: ConversionNote['what'], detail: string): void {
  if (notes.length >= MOST_NOTES) return;
  if (notes.some((known) => known.field === field && known.what === what && known.detail === detail)) return;
  notes.push({ field, what, detail });
}

const LONGEST_USER = 64;

/** OpenAI refuses long user names; a hash keeps the same user recognisable. */
export function shortUser(user: string | undefined, notes: ConversionNote[]): string | undefined {
  if (user === undefined || user.length <= LONGEST_USER) return user;
  notes.push({ field: 'user', what: 'renamed', detail: `OpenAI takes at most ${LONGEST_USER} characters` });
  return `user_${Bun.hash(user).toString(36)}`;
}
