// Whether a call may be made twice at once: nothing of it may stay or happen at the upstream beside the answer.
import { isObject } from '#server/models/formats/json.ts';
import type { Format } from '#server/models/providers/provider.ts';
import type { Fields } from './endpoints.ts';

export interface RepeatableCall {
  readonly endpoint: { readonly format: Format };
  readonly isStream: boolean;
  readonly fields: Fields;
  /** It continues something that one upstream keeps. */
  readonly affinity: object | undefined;
  readonly conversation?: object | undefined;
}

const FORMATS: ReadonlySet<Format> = new Set<Format>([
  'openai-chat',
  'openai-completions',
  'openai-responses',
  'anthropic-messages',
  'gemini-generate',
]);

/** Members that keep something at the upstream, continue it, or let the upstream act. */
const STATEFUL_MEMBERS = [
  'previous_response_id',
  'conversation',
  'background',
  'container',
  'mcp_servers',
  'web_search_options',
];

/** Run by the caller, not by the upstream. */
const CALLERS_TOOLS: ReadonlySet<unknown> = new Set([undefined, 'function', 'custom']);

export function isRepeatable({
  endpoint,
  isStream,
  fields,
  affinity,
  conversation,
}: RepeatableCall): boolean {
  const { format } = endpoint;
  if (!isStream || affinity !== undefined || conversation !== undefined || !FORMATS.has(format)) return false;
  // Responses are kept unless the caller says otherwise, chats only where it asks for it.
  const keeps = format === 'openai-responses' ? fields['store'] !== false : fields['store'] === true;
  return !keeps && leavesNothing(format, fields);
}

/** It continues nothing at the upstream, keeps nothing there beside the answer itself, and only the caller runs tools. */
export function leavesNothing(format: Format, fields: Fields): boolean {
  if (STATEFUL_MEMBERS.some((name) => isGiven(fields[name]))) return false;
  const { tools } = fields;
  return !Array.isArray(tools) || tools.every((tool) => isCallers(tool, format));
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== false;

function isCallers(tool: unknown, format: Format): boolean {
  if (!isObject(tool)) return false;
  if (format !== 'gemini-generate') return CALLERS_TOOLS.has(tool['type']);
  return Object.keys(tool).every(
    (name) => name === 'functionDeclarations' || name === 'function_declarations',
  );
}
