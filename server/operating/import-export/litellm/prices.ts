// Prices of LiteLLM, in dollars for a token, as ratios.
import type { LiteLlmModel } from './config.ts';

export interface Prices {
  ModelRatio: Record<string, number>;
  CompletionRatio: Record<string, number>;
  CacheRatio: Record<string, number>;
  CreateCacheRatio: Record<string, number>;
  ModelPrice: Record<string, number>;
}

const exact = (value: number): number => Number(value.toPrecision(12));

/** `unitsOfDollar`: a ratio is quota units for a token. */
export function pricesOf(models: readonly LiteLlmModel[], unitsOfDollar: number): Prices {
  const prices: Prices = {
    ModelRatio: {},
    CompletionRatio: {},
    CacheRatio: {},
    CreateCacheRatio: {},
    ModelPrice: {},
  };
  for (const { model_name: name, litellm_params, model_info } of models) {
    const cost = (
      key:
        | 'input_cost_per_token'
        | 'output_cost_per_token'
        | 'cache_read_input_token_cost'
        | 'cache_creation_input_token_cost'
        | 'input_cost_per_request',
    ): number | undefined => litellm_params[key] ?? model_info?.[key];
    const input = cost('input_cost_per_token');
    const request = cost('input_cost_per_request');
    if (input === undefined || !(input > 0)) {
      if (request !== undefined && request > 0) prices.ModelPrice[name] = request;
      else if (input === 0) prices.ModelRatio[name] = 0;
      continue;
    }
    prices.ModelRatio[name] = exact(input * unitsOfDollar);
    const relative = (key: Parameters<typeof cost>[0]): number | undefined => {
      const value = cost(key);
      return value === undefined ? undefined : exact(value / input);
    };
    const parts = {
      CompletionRatio: relative('output_cost_per_token'),
      CacheRatio: relative('cache_read_input_token_cost'),
      CreateCacheRatio: relative('cache_creation_input_token_cost'),
    };
    for (const [key, value] of Object.entries(parts) as [keyof typeof parts, number | undefined][])
      if (value !== undefined) prices[key][name] = value;
  }
  return prices;
}
