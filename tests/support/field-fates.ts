// What becomes of every member of every object in a request towards every upstream, found by converting requests with it and
// without it (field-probes.ts).
import { bedrockConverse } from '#server/models/formats/bedrock-converse/index.ts';
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import type { UpstreamCodec } from '#server/models/formats/codec.ts';
import { FormatError, type Json } from '#server/models/formats/json.ts';
import { probesOf, type Probe, type ProbeOptions } from './field-probes.ts';
import { codecOf } from './formats.ts';
import { readShapes } from './sdk-types.ts';

export const targets: Readonly<Record<string, { codec: UpstreamCodec; model: string }>> = {
  'openai-chat': { codec: codecOf('openai-chat'), model: 'deepseek-chat' },
  'openai-responses': { codec: codecOf('openai-responses'), model: 'gpt-5.1' },
  'anthropic-messages': { codec: codecOf('anthropic-messages'), model: 'claude-sonnet-4-5' },
  'gemini-generate': { codec: codecOf('gemini-generate'), model: 'gemini-2.5-flash' },
  converse: { codec: bedrockConverse, model: 'amazon.nova-pro' },
};

const parameters = { type: 'object', properties: { city: { type: 'string' } } };

export const bases: Readonly<Record<string, Json>> = {
  'openai-chat': {
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [{ type: 'function', function: { name: 'weather', parameters } }],
  },
  'openai-responses': {
    model: 'm',
    input: 'Hi',
    tools: [{ type: 'function', name: 'weather', parameters }],
  },
  'anthropic-messages': {
    model: 'm',
    max_tokens: 5000,
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [{ name: 'weather', input_schema: parameters }],
  },
  'gemini-generate': {
    model: 'm',
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    tools: [{ functionDeclarations: [{ name: 'weather' }] }],
  },
};

const always = <Value>(value: Value): readonly [Value, Value] => [value, value];
const picture = { data: 'aGVsbG8=', mimeType: 'image/png' };
const file = { fileUri: 'https://example.com/a.png', mimeType: 'image/png' };
const format = { name: 'answer', schema: parameters };

const options: Omit<ProbeOptions, 'base'> = {
  values: {
    url: ['https://example.com/a.png', 'https://example.com/b.png'],
    fileUri: ['https://example.com/a.png', 'https://example.com/b.png'],
    file_url: always('https://example.com/a.pdf'),
    file_data: always('data:application/pdf;base64,aGVsbG8='),
    data: ['aGVsbG8=', 'd29ybGQ='],
    media_type: ['image/png', 'image/webp'],
    mimeType: ['image/png', 'image/webp'],
    arguments: ['{"a":1}', '{"a":7}'],
    budget_tokens: [2000, 3000],
    input_schema: always(parameters),
    schema: always(parameters),
    'tools[].input_schema.required': always(['city']),
    'tool_choice.allowed_tools.tools': always([{ type: 'function', function: { name: 'weather' } }]),
    'tool_choice.tools': always([{ type: 'function', name: 'weather' }]),
    'tools[].functionDeclarations[]': always({ name: 'weather' }),
    responseModalities: always(['AUDIO']),
    functionCall: always({ name: 'weather' }),
    functionResponse: always({ name: 'weather' }),
    inlineData: always(picture),
    fileData: always(file),
    'contents[].role': ['user', 'model'],
    'systemInstruction.role': always('user'),
    propertyOrdering: always(['b', 'a']),
  },
  companions: {
    'response_format.json_schema.name': format,
    'response_format.json_schema.description': format,
    'response_format.json_schema.strict': format,
    'contents[].role': { parts: [{ text: 'x' }] },
    'contents[].parts[].thoughtSignature': { text: 'x' },
    'contents[].parts[].thought': { text: 'x' },
    'contents[].parts[].partMetadata': { text: 'x' },
    'contents[].parts[].mediaResolution': { inlineData: picture },
    'contents[].parts[].videoMetadata': { fileData: file },
    'systemInstruction.role': { parts: [{ text: 'x' }] },
    propertyOrdering: {
      type: 'OBJECT',
      properties: { a: { type: 'STRING' }, b: { type: 'STRING' } },
    },
  },
  before: {
    messages: [{ role: 'user', content: 'Hi' }],
    input: [{ role: 'user', content: 'Hi' }],
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
  },
};

/** Members that ask nothing of an upstream, by their whole path. */
const withoutEffect: readonly (readonly [RegExp, string])[] = [
  [/^(model|stream|stream_options.*|betas)$/, 'the relay’s own'],
  [/^background$/, 'refused by the relay'],
  [/^(store|service_tier)$/, 'what the relay or the upstream does unasked'],
  [/^input\[\]\.(id|status)$/, 'names and dates an item of an earlier answer'],
  [/^input\[\]\.max_output_length$/, 'repeats the limit of the call'],
  [/^(input|tools)\[\]\.type$/, 'the kind that is meant without it'],
  [/^(response_format\.json_schema|text\.format)\.(name|strict)$/, 'a label; schemas are always kept to'],
  [
    /(^input\[\]\.call_id|tool_calls\[\]\.id|^messages\[\]\.content\[\]\.id)$/,
    'Gemini matches results by name and order',
  ],
  [/\.thoughtSignature$|^messages\[\]\.content\[\]\.signature$/, 'a signature that only its issuer reads'],
  [/^generationConfig\.thinkingConfig\.includeThoughts$/, 'thoughts are shown by those who tell them'],
];

/** The note that this object is dropped stands for what is in it. */
const standsFor: Readonly<Record<string, string>> = {
  'tool_result.content': 'messages.content.content',
  // Only a shell in a container is dropped.
  'tools.shell': 'tools.environment',
};

export type Fate = 'carried' | 'approximated' | 'dropped, noted' | 'refused' | 'no effect' | 'lost';

export interface Converted {
  sent: string;
  notes: readonly ConversionNote[];
}

const order: readonly Fate[] = ['carried', 'approximated', 'dropped, noted', 'refused', 'lost'];

/** The fate of each probe of one format towards one upstream. */
export function fateFinder(from: string, to: string): (probe: Probe) => Fate {
  const { codec, model } = targets[to] as { codec: UpstreamCodec; model: string };
  const known = new Map<Probe, Fate>();

  function convert(body: Json): Converted | undefined {
    const notes: ConversionNote[] = [];
    try {
      const request = { ...codecOf(from).decodeRequest(body, notes), model };
      return { sent: JSON.stringify(codec.encodeRequest(request, notes)), notes };
    } catch (error) {
      if (error instanceof FormatError) return undefined;
      throw error;
    }
  }

  function find(probe: Probe): Fate {
    let fate = known.get(probe);
    if (fate === undefined) {
      const above = probe.holder === undefined ? undefined : find(probe.holder);
      const isDecided = above === 'dropped, noted' || above === 'refused';
      fate = isDecided ? above : fateOf(probe.path, convert(probe.plain), probe.asked.map(convert));
      known.set(probe, fate);
    }
    return fate;
  }
  return find;
}

/** The best fate of the values that a member was probed with; undefined: that request was refused. */
export function fateOf(
  path: string,
  plain: Converted | undefined,
  asked: readonly (Converted | undefined)[],
): Fate {
  const fates = asked.map((each) => fateOfValue(path, plain, each));
  const fate = order.find((each) => fates.includes(each)) ?? 'lost';
  const isIdle = withoutEffect.some(([pattern]) => pattern.test(path));
  return fate === 'lost' && isIdle ? 'no effect' : fate;
}

function fateOfValue(path: string, plain: Converted | undefined, asked: Converted | undefined): Fate {
  if (asked === undefined) return 'refused';
  // The relay refuses a call whose attachment is lost.
  if (asked.notes.some(({ isAttachment }) => isAttachment === true)) return 'dropped, noted';
  if (plain === undefined) return 'carried';
  const isNew = asked.notes.some((note) => !plain.notes.some((old) => Bun.deepEquals(old, note)));
  if (plain.sent !== asked.sent) return isNew ? 'approximated' : 'carried';
  return isNew || asked.notes.some((note) => isAbout(note, path)) ? 'dropped, noted' : 'lost';
}

const flat = (path: string): string => path.replaceAll('[]', '');

/** The note names the member, or an object that holds it. */
function isAbout({ field, what }: ConversionNote, path: string): boolean {
  if (what === 'renamed') return false;
  const about = (what === 'dropped' ? standsFor[field] : undefined) ?? flat(field);
  const asked = flat(path).replace(/^input\.tools\./, 'tools.');
  return (
    asked === about || asked.startsWith(`${about}.`) || about.split('.').at(-1) === asked.split('.').at(-1)
  );
}

/** Every member of every object in the vendors' types, by format. */
export async function readProbes(): Promise<Map<string, Probe[]>> {
  const shapes = await readShapes(new URL('sdk-requests.ts', import.meta.url), 'Requests');
  return new Map(
    [...shapes].map(([from, shape]) => [from, probesOf(shape, { ...options, base: bases[from] as Json })]),
  );
}
