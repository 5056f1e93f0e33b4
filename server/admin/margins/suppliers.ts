// Suppliers: named sellers whose buy price several channels share. A change is announced as one of channels, because the cost
// of their calls changes with it.
import {
  buyPriceFault,
  supplierFields,
  type channelCosts,
  type SupplierView,
} from '#contract/money/channel-costs.ts';
import { isJsonObject } from '#contract/relay/channel-fields.ts';
import { AppError } from '#contract/errors.ts';
import { editedFields, refuseConflict } from '#server/admin/based-on.ts';
import type { Handlers } from '#server/admin/context.ts';
import { isUniqueViolation } from '#server/platform/store/errors.ts';
import { lockRow } from '#server/platform/store/locks.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { sql } from 'kysely';
import { removeSupplier, saveSupplier, supplierTarget } from './write-supplier.ts';

export function createChannelCostHandlers({ store }: { store: Store }): Handlers<typeof channelCosts> {
  const { db } = store;

  async function viewOf(row: Row<'suppliers'>): Promise<SupplierView> {
    const [counted] = await channelCounts([row.id]);
    return { ...row, channels: counted?.channels ?? 0 };
  }

  async function channelCounts(ids: readonly number[]): Promise<{ id: number; channels: number }[]> {
    if (ids.length === 0) return [];
    return await db
      .selectFrom('channels')
      .select(['supplier_id as id', sql<number>`count(*)`.as('channels')])
      .where('deleted_at', 'is', null)
      .where('supplier_id', 'in', [...ids])
      .groupBy('supplier_id')
      .execute();
  }

  return {
    async suppliers() {
      const rows = await db.selectFrom('suppliers').selectAll().orderBy('name').execute();
      const counted = await channelCounts(rows.map(({ id }) => id));
      const countOf = new Map(counted.map(({ id, channels }) => [id, channels]));
      return rows.map((row) => ({ ...row, channels: countOf.get(row.id) ?? 0 }));
    },
    async createSupplier({ body }, context) {
      checkBuyPrice(body.buy_price);
      const row = await nameTaken(() =>
        db.transaction().execute((transaction) => saveSupplier(context, transaction, undefined, body)),
      );
      return { ...row, channels: 0 };
    },
    async changeSupplier({ params, body }, context) {
      checkBuyPrice(body.buy_price);
      const row = await nameTaken(() =>
        db.transaction().execute(async (transaction) => {
          const before = await lockRow(store, transaction, 'suppliers', params.id);
          if (!before) throw new AppError('not_found');
          const present = { name: before.name, buy_price: before.buy_price };
          const save = { fields: supplierFields, body, present, target: supplierTarget(params.id) };
          await refuseConflict(transaction, save);
          const fields = { ...present, ...editedFields(supplierFields, body) };
          return await saveSupplier(context, transaction, before, fields);
        }),
      );
      await store.changes.announce('channels');
      return await viewOf(row);
    },
    async removeSupplier({ params }, context) {
      await db.transaction().execute((transaction) => removeSupplier(context, transaction, params.id));
      await store.changes.announce('channels');
      return null;
    },
  };
}

function checkBuyPrice(text: string): void {
  if (text === '') return;
  const field = 'buy_price';
  if (!isJsonObject(text)) throw new AppError('channel_field_not_json', { field }, { field });
  const name = buyPriceFault(JSON.parse(text));
  if (name !== undefined) throw new AppError('channel_member_invalid', { field, name }, { field });
}

async function nameTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) throw new AppError('supplier_name_taken', {}, { field: 'name' });
    throw error;
  }
}
