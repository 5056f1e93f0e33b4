// Objects of the upstream's account that a call can name: files, conversations, stored prompts and items, vector stores,
// containers, skills, caches. The account is the operator's and all users share it, so an id says nothing about whose the
// object is: a call that names one is refused, unless the gateway knows the object as the caller's own. One table lists every
// place of every format. It is applied to what the caller sends and to what a conversion makes of it.
import { isObject, text } from '#server/models/formats/json.ts';
import type { Format } from '#server/models/providers/provider.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Fields } from '#server/relay/request/endpoints.ts';

/** The ids that a value names. An empty text is an object that cannot be the caller's. */
type Ids = (value: unknown) => readonly string[];

const NONE: readonly string[] = [];
const id: Ids = (value) => (typeof value === 'string' && value !== '' ? [value] : NONE);
const ids: Ids = (value) => (Array.isArray(value) ? value.map((each) => text(each)) : id(value));
const whole: Ids = (value) => {
  if (value === undefined || value === null) return NONE;
  return [text(isObject(value) ? value['id'] : value)];
};
const skill: Ids = (value) =>
  !isObject(value) || value['type'] === 'anthropic' || text(value['skill_id']).startsWith('openai-')
    ? NONE
    : [text(value['skill_id'])];
/** A skill inside the call, or one on the caller's own computer, which has a path and no id. */
const carriesSkill: Ids = (value) => {
  if (!isObject(value)) return NONE;
  const isLocal =
    value['type'] === undefined && value['skill_id'] === undefined && text(value['path']) !== '';
  return value['type'] === 'inline' || isLocal ? NONE : skill(value);
};

/** Items that the upstream has stored and completes. One without a kind is a message, or refers to an item. */
const item: Ids = (value) => {
  if (!isObject(value)) return NONE;
  const { type, role, result } = value;
  const isReference =
    type === 'item_reference' ||
    ((type ?? null) === null && (role ?? null) === null && (value['id'] ?? null) !== null) ||
    (type === 'image_generation_call' && text(result) === '');
  return isReference ? [text(value['id'])] : NONE;
};

/** Public addresses pass; files of the API and buckets are read with the operator's rights. */
const address: Ids = (value) => {
  if (typeof value !== 'string' || value === '') return NONE;
  const url = URL.parse(value);
  const isPublic = url !== null && /^(?:https?|data):$/.test(url.protocol);
  const isFile =
    url !== null &&
    (/(?:^|\.)generativelanguage\.googleapis\.com\.?$/.test(url.hostname) ||
      /\/v\d\w*\/files\//.test(url.pathname));
  return isPublic && !isFile ? NONE : [value];
};

const GEMINI_MEDIA = 'fileData|file_data.fileUri|file_uri';
const CLAUDE_SOURCE = 'source.file_id';

/** `*` matches each entry of a list, or a single object where the format allows one. `a|b` names two spellings of a field. */
const places: Partial<Record<Format, Readonly<Record<string, Ids>>>> = {
  'openai-chat': {
    'messages.*.content.*.file.file_id': id,
    'extra_body.google.cached_content|cachedContent': whole,
    'tools.*.vector_store_ids': ids,
  },
  'openai-responses': {
    conversation: whole,
    prompt: whole,
    'input.*': item,
    'input.*.content.*.file_id': id,
    'input.*.output.*.file_id': id,
    'input.*.container_id': id,
    'input.*.environment.container_id': id,
    'tools.*.vector_store_ids': ids,
    'tools.*.container': id,
    'tools.*.container.file_ids': ids,
    'tools.*.container.skills.*': carriesSkill,
    'tools.*.environment.container_id': id,
    'tools.*.environment.file_ids': ids,
    'tools.*.environment.skills.*': carriesSkill,
    'tools.*.input_image_mask.file_id': id,
  },
  'openai-images': { 'images|image.*.file_id': id, 'mask.file_id': id },
  'openai-realtime': { 'session.prompt': whole, 'response.prompt': whole },
  'anthropic-messages': {
    container: id,
    'container.id': id,
    'container.skills.*': skill,
    [`messages.*.content.*.${CLAUDE_SOURCE}`]: id,
    'messages.*.content.*.file_id': id,
    [`messages.*.content.*.content.*.${CLAUDE_SOURCE}`]: id,
    [`messages.*.content.*.source.content.*.${CLAUDE_SOURCE}`]: id,
    [`messages.*.content.*.content.*.source.content.*.${CLAUDE_SOURCE}`]: id,
  },
  'gemini-generate': {
    'cachedContent|cached_content': whole,
    [`contents.*.parts.*.${GEMINI_MEDIA}`]: address,
    [`contents.*.parts.*.functionResponse|function_response.parts.*.${GEMINI_MEDIA}`]: address,
    [`systemInstruction|system_instruction.parts.*.${GEMINI_MEDIA}`]: address,
    'tools.*.fileSearch|file_search.fileSearchStoreNames|file_search_store_names': ids,
    'tools.*.retrieval': whole,
  },
  'gemini-embeddings': {
    [`content.parts.*.${GEMINI_MEDIA}`]: address,
    [`requests.*.content.parts.*.${GEMINI_MEDIA}`]: address,
  },
};

type Step = '*' | readonly string[];
interface Place {
  readonly steps: readonly Step[];
  readonly ids: Ids;
}

const compiled = new Map<string, readonly Place[]>(
  Object.entries(places).map(([format, table]) => [
    format,
    Object.entries(table).map(([path, found]) => ({
      steps: path.split('.').map((step) => (step === '*' ? step : step.split('|'))),
      ids: found,
    })),
  ]),
);

const nothing: ReadonlySet<string> = new Set();

/** `own`: ids at the upstream that are known as the caller's. */
export function refuseSharedObjects(format: Format, value: Fields, own: ReadonlySet<string> = nothing): void {
  for (const place of compiled.get(format) ?? []) {
    const field = find(place, value, 0, (named) => !own.has(named))?.slice(1);
    if (field !== undefined) throw new RelayError('state_not_here', { field }, { param: field });
  }
}

/** Every id that the call names, for a look whose they are. */
export function namedObjects(format: Format, value: Fields): string[] {
  const found: string[] = [];
  for (const place of compiled.get(format) ?? [])
    find(place, value, 0, (named) => {
      if (named !== '') found.push(named);
      return false;
    });
  return found;
}

/** The path of the first place that names an id of this kind; undefined: none does. */
function find(
  place: Place,
  value: unknown,
  depth: number,
  isMeant: (named: string) => boolean,
): string | undefined {
  const step = place.steps[depth];
  if (step === undefined) return place.ids(value).some(isMeant) ? '' : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  if (step === '*') {
    if (!Array.isArray(value)) return find(place, value, depth + 1, isMeant);
    for (let index = 0; index < value.length; index += 1) {
      const rest = find(place, value[index], depth + 1, isMeant);
      if (rest !== undefined) return `[${index}]${rest}`;
    }
    return undefined;
  }
  for (const name of step) {
    const rest = find(place, (value as Fields)[name], depth + 1, isMeant);
    if (rest !== undefined) return `.${name}${rest}`;
  }
  return undefined;
}
