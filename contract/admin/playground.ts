// What the playground of the console asks beside the calls themselves: which parameters a model takes.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';

export const modelParameters = z.object({
  model: z.string(),
  /** Tokens a prompt and an answer may have; 0 when unknown. */
  context: z.number(),
  max_output: z.number(),
  /** Temperature and top_p: taken always, only while the model does not reason, or never. */
  sampling: z.enum(['always', 'without_effort', 'never']),
  highest_temperature: z.number(),
  takes_both_samplings: z.boolean(),
  has_penalties: z.boolean(),
  has_seed: z.boolean(),
  has_stop: z.boolean(),
  /** The reasoning efforts it accepts; empty when it takes none. */
  efforts: z.array(z.string()),
  /** The effort of a request without one; blank when unknown. */
  usual_effort: z.string(),
  /** How its vendor's own format says the effort: a word, or a number of tokens. */
  reasons_by: z.enum(['effort', 'budget']),
  has_verbosity: z.boolean(),
  /** The name of the limit on Chat. */
  limit_name: z.enum(['max_tokens', 'max_completion_tokens']),
});
export type ModelParameters = z.output<typeof modelParameters>;

export const playground = {
  parameters: endpoint({
    method: 'GET',
    path: '/api/playground/parameters',
    access: 'user',
    summary: { zh: '模型接受的参数', en: 'The parameters a model takes' },
    query: z.object({ model: z.string().min(1).max(200) }),
    returns: modelParameters,
  }),
};
