// What the playground asks beside the calls themselves. The calls go through the relay (/pg/chat/completions).
import type { playground } from '#contract/admin/playground.ts';
import type { Handlers } from '#server/admin/context.ts';
import { parametersOf } from '#server/models/model-parameters.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';

export function createPlaygroundHandlers(): Handlers<typeof playground> {
  return {
    // By the name alone, so it does not tell which models are on sale.
    parameters: ({ query: { model } }) => {
      const facts = parametersOf(model);
      const listed = builtInPrice(model);
      return {
        model,
        context: listed?.context ?? 0,
        max_output: listed?.maxOutput ?? 0,
        sampling: facts.sampling,
        highest_temperature: facts.highestTemperature,
        takes_both_samplings: facts.takesBothSamplings,
        has_penalties: facts.hasPenalties,
        has_seed: facts.hasSeed,
        has_stop: facts.hasStop,
        efforts: [...facts.efforts],
        usual_effort: facts.usualEffort,
        reasons_by: facts.reasonsBy,
        has_verbosity: facts.hasVerbosity,
        limit_name: facts.limitName,
      };
    },
  };
}
