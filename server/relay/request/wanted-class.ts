// How much thinking and which class of service a request asks for, in any of the formats.
import type { RequestClass } from '#contract/money/price-rules.ts';
import type { Fields } from './endpoints.ts';

export function reasoningEffortOf(fields: Fields): string {
  const { reasoning, reasoning_effort: effort, output_config: config } = fields;
  if (typeof effort === 'string') return effort.slice(0, 32);
  return effortIn(reasoning) ?? effortIn(config) ?? '';
}

/** Gemini spells the member its own way. */
export function requestClassOf(fields: Fields): RequestClass | undefined {
  const tier = fields['service_tier'] ?? fields['serviceTier'];
  return tier === 'flex' || tier === 'priority' ? tier : undefined;
}

function effortIn(holder: unknown): string | undefined {
  if (typeof holder !== 'object' || holder === null || !('effort' in holder)) return undefined;
  return typeof holder.effort === 'string' ? holder.effort.slice(0, 32) : '';
}
