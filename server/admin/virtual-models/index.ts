// Virtual models of the site: names with the models that answer for them.
import { AppError } from '#contract/errors.ts';
import type { Language } from '#contract/language.ts';
import { invalidField } from '#contract/problem-words.ts';
import { RelayError, refusalSentence } from '#server/relay/errors/relay-error.ts';
import {
  virtualModelFields,
  type Simulation,
  type SimulationRequest,
  type virtualModels,
  type VirtualModelView,
} from '#contract/relay/virtual-models.ts';
import { editedFields, refuseConflict } from '#server/admin/based-on.ts';
import type { Handlers } from '#server/admin/context.ts';
import { lockRow } from '#server/platform/store/locks.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { readPage, viewsOf, type ViewParts } from './views.ts';
import { fieldsOf, removeVirtualModel, saveVirtualModel, virtualModelTarget } from './write.ts';

interface VirtualModelDependencies extends ViewParts {
  simulate(this: void, request: SimulationRequest): Promise<Simulation>;
}

export function createVirtualModelHandlers({
  simulate,
  ...parts
}: VirtualModelDependencies): Handlers<typeof virtualModels> {
  const { store } = parts;
  const { db } = store;

  async function viewOf(row: Row<'virtual_models'>): Promise<VirtualModelView> {
    const [view] = await viewsOf(parts, [row]);
    if (view === undefined) throw new AppError('not_found');
    return view;
  }

  return {
    async list() {
      return await viewsOf(
        parts,
        await db.selectFrom('virtual_models').selectAll().orderBy('name').execute(),
      );
    },
    async page({ query: { name } }) {
      return await readPage(parts, name);
    },
    async create({ body }, context) {
      const row = await db
        .transaction()
        .execute((transaction) => saveVirtualModel(context, transaction, undefined, body));
      await store.changes.announce('virtual_models');
      return await viewOf(row);
    },
    async change({ params, body }, context) {
      const row = await db.transaction().execute(async (transaction) => {
        const before = await lockRow(store, transaction, 'virtual_models', params.id);
        if (!before) throw new AppError('not_found');
        const present = fieldsOf(before);
        const target = virtualModelTarget(params.id);
        await refuseConflict(transaction, { fields: virtualModelFields, body, present, target });
        const fields = { ...present, ...editedFields(virtualModelFields, body) };
        return await saveVirtualModel(context, transaction, before, fields);
      });
      await store.changes.announce('virtual_models');
      return await viewOf(row);
    },
    async remove({ params }, context) {
      await db.transaction().execute((transaction) => removeVirtualModel(context, transaction, params.id));
      await store.changes.announce('virtual_models');
      return null;
    },
    async simulate({ body }) {
      try {
        return await simulate(body);
      } catch (error) {
        if (!(error instanceof RelayError)) throw error;
        const values = Object.entries(error.parameters).map(([key, value]) => [key, String(value)]);
        const words = (language: Language) =>
          refusalSentence(error.code, language, Object.fromEntries(values) as Record<string, string>);
        throw invalidField('request', { zh: words('zh'), en: words('en') });
      }
    },
  };
}
