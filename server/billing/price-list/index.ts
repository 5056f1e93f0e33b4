// The prices Tollgate knows by itself: what an operator who set no number of their own sells a model for.
// A lookup takes the exact name first, then the name without its snapshot date or `-latest`, so a dated
// name needs a line of its own only where its price differs.
import { ai21 } from './ai21.ts';
import { alibaba } from './alibaba.ts';
import { anthropic } from './anthropic.ts';
import { baidu } from './baidu.ts';
import { bytedance } from './bytedance.ts';
import { cohere } from './cohere.ts';
import { deepseek } from './deepseek.ts';
import { google } from './google.ts';
import { groq } from './groq.ts';
import { jina } from './jina.ts';
import { meta } from './meta.ts';
import { midjourney } from './midjourney.ts';
import { minimax } from './minimax.ts';
import { mistral } from './mistral.ts';
import { moonshot } from './moonshot.ts';
import { openai } from './openai.ts';
import { openaiMedia } from './openai-media.ts';
import { perplexity } from './perplexity.ts';
import type { BuiltInPrice, Group } from './price.ts';
import { suno } from './suno.ts';
import { tencent } from './tencent.ts';
import { voyage } from './voyage.ts';
import { xai } from './xai.ts';
import { zhipu } from './zhipu.ts';

export type { BuiltInPrice, ModelKind, TokenPrices } from './price.ts';

const vendors: readonly (readonly [vendor: string, groups: readonly Group[]])[] = [
  ['OpenAI', [...openai, ...openaiMedia]],
  ['Anthropic', anthropic],
  ['Google', google],
  ['DeepSeek', deepseek],
  ['Alibaba', alibaba],
  ['Zhipu', zhipu],
  ['Moonshot', moonshot],
  ['MiniMax', minimax],
  ['ByteDance', bytedance],
  ['Tencent', tencent],
  ['Baidu', baidu],
  ['Mistral', mistral],
  ['xAI', xai],
  ['Cohere', cohere],
  ['Meta', meta],
  ['Groq', groq],
  ['Perplexity', perplexity],
  ['AI21', ai21],
  ['Voyage', voyage],
  ['Jina', jina],
  ['Midjourney', midjourney],
  ['Suno', suno],
];

const models: readonly BuiltInPrice[] = vendors.flatMap(([vendor, groups]) =>
  groups.flatMap((group) => group(vendor)),
);
const byName = new Map(models.map((price) => [price.model, price]));

// -2024-08-06, -20241022, -250615 (ByteDance) and -latest; a month or day out of range is no date.
const snapshotSuffix = /-(?:latest|(?:20\d\d-?|2\d)(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01]))$/;

/** The built-in price of a model by its name as callers write it, or undefined when there is none. */
export function builtInPrice(model: string): BuiltInPrice | undefined {
  return byName.get(model) ?? byName.get(model.replace(snapshotSuffix, ''));
}

/** Every built-in price, by vendor in the order of the list. */
export function builtInModels(): readonly BuiltInPrice[] {
  return models;
}
