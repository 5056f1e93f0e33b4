/** The request that is tried: made from a few fields, or pasted; without React, for unit tests. */
import type { SimulationRequest } from '#contract/relay/virtual-models.ts';

export const TRAITS = ['pictures', 'files', 'tools', 'structured_output'] as const;
export type TraitName = (typeof TRAITS)[number];
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export const FORMATS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'] as const;

export interface TryValues {
  way: 'fields' | 'request';
  prompt: string;
  traits: TraitName[];
  /** Empty: not asked for. */
  effort: string;
  format: (typeof FORMATS)[number];
  /** JSON. */
  request: string;
  group: string;
  /** `Name: value` on each line. */
  headers: string;
  /** Null: enough. */
  spendable: number | null;
}

export const blankTry = (group: string): TryValues => ({
  way: 'fields',
  prompt: '',
  traits: [],
  effort: '',
  format: 'openai-chat',
  request: '',
  group,
  headers: '',
  spendable: null,
});

/** A picture of one pixel. */
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const PARTS: Partial<Record<TraitName, object>> = {
  pictures: { type: 'image_url', image_url: { url: PIXEL } },
  files: { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjQK' } },
};
const MEMBERS: Partial<Record<TraitName, object>> = {
  tools: {
    tools: [
      { type: 'function', function: { name: 'look_up', parameters: { type: 'object', properties: {} } } },
    ],
  },
  structured_output: { response_format: { type: 'json_object' } },
};

/** Undefined when what was pasted is no JSON object. */
export function requestOf(values: TryValues): Record<string, unknown> | undefined {
  const { way, prompt, traits, effort, request } = values;
  if (way === 'request') {
    try {
      const body: unknown = JSON.parse(request);
      return typeof body === 'object' && body !== null && !Array.isArray(body)
        ? (body as Record<string, unknown>)
        : undefined;
    } catch {
      return undefined;
    }
  }
  const parts = traits.flatMap((trait) => PARTS[trait] ?? []);
  const text = { type: 'text', text: prompt };
  return {
    messages: [{ role: 'user', content: parts.length === 0 ? prompt : [text, ...parts] }],
    ...(effort === '' ? {} : { reasoning_effort: effort }),
    ...Object.assign({}, ...traits.map((trait) => MEMBERS[trait] ?? {})),
  };
}

const HEADER = /^([^\s:]+)\s*:\s*(\S.*)$/;
export const isHeader = (line: string): boolean => HEADER.test(line.trim());

export function headersOf(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [, name, value] = HEADER.exec(line.trim()) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value]];
    }),
  );
}

/** What is sent beside the virtual model. */
export function callOf(
  values: TryValues,
): Pick<SimulationRequest, 'group' | 'format' | 'headers' | 'request' | 'spendable'> {
  const { way, format, group, headers, spendable } = values;
  return {
    group,
    format: way === 'fields' ? 'openai-chat' : format,
    headers: headersOf(headers),
    request: requestOf(values) ?? {},
    ...(spendable === null ? {} : { spendable }),
  };
}
