/**
 * A call as the playground thinks of it, before it has the form of a dialect (dialects/): the messages of one pane and the
 * parameters that its model takes.
 */
import type { ModelParameters } from '#contract/admin/playground.ts';
import type { ToolDefinition } from './tools.ts';
import { readTools } from './tools.ts';
import type { PlaygroundSettings } from './settings.ts';

export type CallPart =
  | { type: 'text'; text: string }
  | { type: 'image'; mediaType: string; data: string }
  | { type: 'pdf'; name: string; data: string }
  | { type: 'audio'; mediaType: string; data: string };

export interface ToolCall {
  id: string;
  name: string;
  /** JSON, as the model wrote it. */
  arguments: string;
}

export type CallMessage =
  | { role: 'user'; parts: readonly CallPart[] }
  | { role: 'assistant'; text: string; calls: readonly ToolCall[] }
  | { role: 'tool'; id: string; name: string; result: string };

export type AnswerFormat = { type: 'json' } | { type: 'schema'; schema: unknown };

export interface CallParameters {
  temperature?: number;
  topP?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  seed?: number;
  stop?: readonly string[];
  effort?: string;
  verbosity?: string;
}

export interface Call extends CallParameters {
  model: string;
  system: string;
  messages: readonly CallMessage[];
  /** 0: not set. */
  maxTokens: number;
  tools: readonly ToolDefinition[];
  format?: AnswerFormat;
  /** Undefined while they are not known: then nothing is left out. */
  facts: ModelParameters | undefined;
}

const TAKES_ALL: Pick<
  ModelParameters,
  | 'sampling'
  | 'highest_temperature'
  | 'takes_both_samplings'
  | 'has_penalties'
  | 'has_seed'
  | 'has_stop'
  | 'has_verbosity'
  | 'usual_effort'
> = {
  sampling: 'always',
  highest_temperature: 2,
  takes_both_samplings: true,
  has_penalties: true,
  has_seed: true,
  has_stop: true,
  has_verbosity: true,
  usual_effort: '',
};

/** Of what is set in the panel, what this model takes. */
export function acceptedParameters(
  settings: PlaygroundSettings,
  facts: ModelParameters | undefined,
): CallParameters {
  const takes = facts ?? TAKES_ALL;
  const { top_p: topP, frequency_penalty, presence_penalty, seed } = settings.extras;
  const effort = facts && !facts.efforts.includes(settings.effort) ? '' : settings.effort;
  const thought = effort || takes.usual_effort;
  const thinks = thought !== '' && thought !== 'none';
  const samples = takes.sampling === 'always' || (takes.sampling === 'without_effort' && !thinks);
  // Where only one of the two is taken, the one that was switched on wins over the one that is always set.
  const hasTemperature = samples && (topP === undefined || takes.takes_both_samplings);
  const stop = settings.stop.split('\n').filter((line) => line !== '');
  const when = <Value>(isTaken: boolean, value: Value): Value | undefined => (isTaken ? value : undefined);
  const found = {
    temperature: when(hasTemperature, Math.min(settings.temperature, takes.highest_temperature)),
    topP: when(samples, topP),
    frequencyPenalty: when(takes.has_penalties, frequency_penalty),
    presencePenalty: when(takes.has_penalties, presence_penalty),
    seed: when(takes.has_seed, seed),
    stop: when(takes.has_stop && stop.length > 0, stop),
    effort: when(effort !== '', effort),
    verbosity: when(takes.has_verbosity && settings.verbosity !== '', settings.verbosity),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** Undefined for plain text, and for a schema that is not JSON. */
export function answerFormat({
  format,
  schema,
}: Pick<PlaygroundSettings, 'format' | 'schema'>): AnswerFormat | undefined {
  if (format === 'json') return { type: 'json' };
  const read = format === 'schema' ? readObject(schema) : undefined;
  return read === undefined ? undefined : { type: 'schema', schema: read };
}

export function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

export function callOf(
  settings: PlaygroundSettings,
  model: string,
  facts: ModelParameters | undefined,
  system: string,
  messages: readonly CallMessage[],
): Call {
  const format = answerFormat(settings);
  return {
    model,
    system: system.trim() === '' ? '' : system,
    messages,
    maxTokens: settings.maxTokens,
    tools: readTools(settings.tools),
    ...(format === undefined ? {} : { format }),
    ...acceptedParameters(settings, facts),
    facts,
  };
}
