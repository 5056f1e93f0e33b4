// Prompts and answers of samples: for the super admin alone, after a confirmation. Every reading is audited, before anything is shown.
import type { shadowCalls } from '#contract/relay/shadow-calls.ts';
import type { Handler } from '#server/admin/context.ts';
import { openTexts } from '#server/relay/shadow-calls/samples.ts';
import { SAMPLES_AT_ONCE, samplesOf, selectSamples, type ShadowDependencies } from './views.ts';
import { shadowTarget } from './write.ts';

export function readTexts({ store }: ShadowDependencies): Handler<typeof shadowCalls.texts> {
  return async ({ params, body }, context) => {
    const query = { shadowId: params.id, ids: body.ids, before: body.before };
    const found = await selectSamples(store, query).select('texts').execute();
    const rows = found.slice(0, SAMPLES_AT_ONCE);
    const samples = await samplesOf(store, rows);
    await context.auditEvent('shadow.read_texts', shadowTarget(params.id), {
      requests: samples.map(({ request_id }) => request_id),
    });
    return {
      samples: samples.map((sample, at) => {
        const row = rows[at];
        if (row === undefined) throw new Error('a sample without its row');
        const { prompt, answer, copy, isCut } = openTexts(store.vault, row);
        return { ...sample, prompt, answer, copy, is_cut: isCut };
      }),
      has_more: found.length > SAMPLES_AT_ONCE,
    };
  };
}
