// Comparisons of shadow calls: what is copied to which model, and the samples that were kept.
import { AppError } from '#contract/errors.ts';
import { shadowFields, type shadowCalls, type ShadowView } from '#contract/relay/shadow-calls.ts';
import { unixSeconds } from '#contract/time.ts';
import { editedFields, refuseConflict } from '#server/admin/based-on.ts';
import type { Handlers } from '#server/admin/context.ts';
import { shadowFieldsOf } from '#server/relay/shadow-calls/book.ts';
import { removeSamples } from '#server/relay/shadow-calls/samples.ts';
import { lockRow } from '#server/platform/store/locks.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { readConsent, saveConsent } from './consent.ts';
import { readTexts } from './texts.ts';
import {
  SAMPLES_AT_ONCE,
  samplesOf,
  selectSamples,
  summaryOf,
  viewsOf,
  type ShadowDependencies,
} from './views.ts';
import { removeShadow, saveShadow, shadowTarget } from './write.ts';

export function createShadowHandlers(parts: ShadowDependencies): Handlers<typeof shadowCalls> {
  const { store } = parts;
  const { db } = store;

  async function viewOf(row: Row<'shadows'>): Promise<ShadowView> {
    const [view] = await viewsOf(parts, [row]);
    if (view === undefined) throw new AppError('not_found');
    return view;
  }

  async function rowOf(id: number): Promise<Row<'shadows'>> {
    const row = await db.selectFrom('shadows').selectAll().where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw new AppError('not_found');
    return row;
  }

  return {
    async list() {
      return await viewsOf(parts, await db.selectFrom('shadows').selectAll().orderBy('name').execute());
    },
    async page({ params }) {
      const row = await rowOf(params.id);
      return { now: unixSeconds(), shadow: await viewOf(row), summary: await summaryOf(store, row.id) };
    },
    async create({ body }, context) {
      const row = await db
        .transaction()
        .execute((transaction) => saveShadow(context, transaction, undefined, body));
      await store.changes.announce('shadows');
      return await viewOf(row);
    },
    async change({ params, body }, context) {
      const row = await db.transaction().execute(async (transaction) => {
        const before = await lockRow(store, transaction, 'shadows', params.id);
        if (!before) throw new AppError('not_found');
        const present = shadowFieldsOf(before);
        const target = shadowTarget(params.id);
        await refuseConflict(transaction, { fields: shadowFields, body, present, target });
        const fields = { ...present, ...editedFields(shadowFields, body) };
        return await saveShadow(context, transaction, before, fields);
      });
      await store.changes.announce('shadows');
      return await viewOf(row);
    },
    async remove({ params }, context) {
      await db.transaction().execute((transaction) => removeShadow(context, transaction, params.id));
      await store.changes.announce('shadows');
      return null;
    },
    async samples({ params, query }) {
      const { outcome, before } = query;
      await rowOf(params.id);
      const rows = await selectSamples(store, { shadowId: params.id, outcome, before }).execute();
      return {
        samples: await samplesOf(store, rows.slice(0, SAMPLES_AT_ONCE)),
        has_more: rows.length > SAMPLES_AT_ONCE,
      };
    },
    texts: readTexts(parts),
    async removeSamples({ params, query: { sample } }, context) {
      return await db.transaction().execute(async (transaction) => {
        const row = await lockRow(store, transaction, 'shadows', params.id);
        if (!row) throw new AppError('not_found');
        const samples = await removeSamples(transaction, params.id, sample);
        await context.audit(transaction, 'shadow.delete_samples', shadowTarget(params.id), { samples });
        return samples;
      });
    },
    consent: readConsent(parts),
    saveConsent: saveConsent(parts),
  };
}
