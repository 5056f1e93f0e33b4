// Canonical requests to requests of Gemini's generateContent.
import type { CanonicalRequest, ConversionNote } from '#server/models/formats/canonical.ts';
import { budgetOfEffort } from '#server/models/formats/effort.ts';
import { approximate, carryExtra, drop } from '#server/models/formats/extras.ts';
import { withForeignItems } from '#server/models/formats/foreign-items.ts';
import { member, withoutUndefined, type Json } from '#server/models/formats/json.ts';
import { noteSummary, type CarriedParts } from '#server/models/formats/requested-part-features.ts';
import { describedSchema, noteLosses, type FeatureName } from '#server/models/formats/requested-features.ts';
import { encodeContents } from './encode-contents.ts';
import { geminiSchema } from './schema.ts';
import { encodeTools } from './tools.ts';

/** The URL contains model and streaming; the body has no members for them. */
export function encodeRequest(given: CanonicalRequest, notes: ConversionNote[]): Json {
  const request = withForeignItems(given, 'google', notes);
  const isOwn = request.format === 'gemini-generate';
  const { generationConfig: others, ...extra } = carryExtra(request, 'gemini-generate', notes);
  if (!isOwn) {
    noteLosses(request, CARRIED, carriedParts, notes);
    noteSummary(request, notes);
  }
  if (!isOwn && request.audio?.format !== undefined)
    drop(notes, 'audio.format', 'Gemini chooses the format of sound');
  if (!isOwn && typeof (request.audio?.voice ?? '') !== 'string')
    drop(notes, 'audio.voice', 'a voice of OpenAI’s own');
  const settings = withoutUndefined({ ...encodeSettings(request, notes), ...member(others) });
  const tier = request.serviceTier;
  return withoutUndefined({
    ...encodeContents(request, notes),
    ...encodeTools(request, notes),
    generationConfig: Object.keys(settings).length === 0 ? undefined : settings,
    labels: isOwn ? request.metadata : undefined,
    store: isOwn ? request.store : undefined,
    serviceTier: isOwn || tier === 'flex' || tier === 'priority' ? tier : undefined,
    ...extra,
  });
}

const carriedParts: CarriedParts = { filename: (part) => part.text !== undefined };

const CARRIED: ReadonlySet<FeatureName> = new Set([
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'stop',
  'seed',
  'choices',
  'presencePenalty',
  'frequencyPenalty',
  'logprobs',
  'tools',
  'toolChoice',
  'parallelToolCalls',
  'responseFormat',
  'reasoning',
  'modalities',
  'audio',
  'serviceTier',
]);

function encodeSettings(request: CanonicalRequest, notes: ConversionNote[]): Json {
  const voice = request.audio?.voice;
  return {
    maxOutputTokens: encodeLimit(request, notes),
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    stopSequences: encodeStops(request.stop, notes),
    seed: request.seed,
    candidateCount: request.choices,
    presencePenalty: request.presencePenalty,
    frequencyPenalty: request.frequencyPenalty,
    responseLogprobs: request.logprobs === undefined ? undefined : true,
    logprobs: request.logprobs?.top,
    ...encodeFormat(request, notes),
    thinkingConfig: encodeThinking(request, notes),
    responseModalities: request.modalities?.map((kind) => kind.toUpperCase()),
    speechConfig:
      typeof voice === 'string' ? { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } } : undefined,
  };
}

function encodeLimit(request: CanonicalRequest, notes: ConversionNote[]): number | undefined {
  const limit = request.maxOutputTokens;
  const most = CANNOT_THINK.test(request.model) ? 8192 : 65_536;
  if (limit === undefined || limit <= most || request.format === 'gemini-generate') return limit;
  approximate(notes, 'max_tokens', `Gemini’s answers end at ${most}`);
  return most;
}

const MOST_STOPS = 5;

function encodeStops(stop: readonly string[] | undefined, notes: ConversionNote[]): string[] | undefined {
  if (stop === undefined || stop.length === 0) return undefined;
  if (stop.length > MOST_STOPS) drop(notes, 'stop', `Gemini takes ${MOST_STOPS} stop sequences`);
  return stop.slice(0, MOST_STOPS);
}

function encodeFormat(request: CanonicalRequest, notes: ConversionNote[]): Json {
  const format = request.responseFormat;
  if (format === undefined || format.type === 'text') return {};
  const json = { responseMimeType: 'application/json' };
  if (format.type === 'json_object') return json;
  return { ...json, responseSchema: geminiSchema(describedSchema(format), 'response_format', notes) };
}

const THINKS_BY_LEVEL = /gemini-([3-9]|\d\d)/;
const CANNOT_THINK = /gemini-(1|2\.0)|gemma/;
export const thinksNever = (model: string): boolean => CANNOT_THINK.test(model);
export const thinksByWord = (model: string): boolean => THINKS_BY_LEVEL.test(model);
const LARGEST_BUDGET = 24_576;

function encodeThinking(request: CanonicalRequest, notes: ConversionNote[]): Json | undefined {
  const { reasoning, model } = request;
  if (reasoning === undefined) return undefined;
  if (thinksNever(model)) {
    if (reasoning.effort !== 'none') drop(notes, 'reasoning', 'this model does not think');
    return undefined;
  }
  const isOwn = request.format === 'gemini-generate';
  // A caller of another format who enables reasoning expects to see it.
  const isHidden = isOwn ? reasoning.summary === undefined : reasoning.isHidden === true;
  const shown = isHidden ? {} : { includeThoughts: true };
  if (reasoning.effort === 'none') return leastThinking(model, notes);
  if (reasoning.isAdaptive === true && reasoning.effort === undefined)
    return { ...shown, thinkingBudget: -1 };
  if (reasoning.budgetTokens !== undefined)
    return { ...shown, thinkingBudget: bounded(reasoning.budgetTokens, notes) };
  if (reasoning.effort === undefined) return shown;
  if (THINKS_BY_LEVEL.test(model)) return { ...shown, thinkingLevel: levelOf(reasoning.effort, notes) };
  return { ...shown, thinkingBudget: bounded(budgetOfEffort(reasoning.effort), notes) };
}

function bounded(budget: number, notes: ConversionNote[]): number {
  if (budget <= LARGEST_BUDGET) return budget;
  approximate(notes, 'reasoning', `Gemini thinks at most ${LARGEST_BUDGET} tokens`);
  return LARGEST_BUDGET;
}

/** Some models cannot disable reasoning. */
function leastThinking(model: string, notes: ConversionNote[]): Json {
  if (THINKS_BY_LEVEL.test(model)) {
    approximate(notes, 'reasoning', 'this model thinks at least a little');
    return { thinkingLevel: model.includes('flash') ? 'MINIMAL' : 'LOW' };
  }
  if (!model.includes('pro')) return { thinkingBudget: 0 };
  approximate(notes, 'reasoning', 'this model thinks at least a little');
  return { thinkingBudget: 128 };
}

function levelOf(effort: string, notes: ConversionNote[]): string {
  if (effort === 'minimal' || effort === 'low' || effort === 'medium' || effort === 'high')
    return effort.toUpperCase();
  approximate(notes, 'reasoning', 'Gemini’s highest level is high');
  return 'HIGH';
}
