// The shape of one built-in price and the way the vendor files write theirs down.

export type ModelKind =
  | 'chat'
  | 'completion'
  | 'responses'
  | 'realtime'
  | 'embedding'
  | 'rerank'
  | 'moderation'
  | 'image'
  | 'speech'
  | 'transcription'
  | 'task';

/**
 * US dollars per million tokens by class. What a class without a number costs is decided in billing/price.ts.
 * What upstreams sell by the character or the minute is written in the tokens the relay counts for it:
 * speech one token a character, transcription 1,000 tokens a minute.
 */
export interface TokenPrices {
  input: number;
  output?: number;
  cacheRead?: number;
  cacheWrite5m?: number;
  cacheWrite1h?: number;
  image?: number;
  audioIn?: number;
  audioOut?: number;
  reasoning?: number;
}

interface ModelFacts {
  kind: ModelKind;
  /** Tokens a prompt may have. */
  context?: number;
  /** Tokens an answer may have. */
  maxOutput?: number;
}

interface Named extends ModelFacts {
  model: string;
  vendor: string;
}

/** A model is sold either by the token or, with `perCall`, at one price in dollars for each call. */
export type BuiltInPrice =
  | (Named & TokenPrices & { perCall?: undefined })
  | (Named & { perCall: number; input?: undefined });

export type Group = (vendor: string) => BuiltInPrice[];

/** Models that share their kind and limits, sold by the token. */
export function byToken(facts: ModelFacts, models: Readonly<Record<string, TokenPrices>>): Group {
  return (vendor) =>
    Object.entries(models).map(([model, prices]) => ({ model, vendor, ...facts, ...prices }));
}

/** Models that share their kind and limits, sold by the call. */
export function byCall(facts: ModelFacts, models: Readonly<Record<string, number>>): Group {
  return (vendor) => Object.entries(models).map(([model, perCall]) => ({ model, vendor, ...facts, perCall }));
}
