// Bills of suppliers: imported once, compared with the log at that time, and kept with the result.
import type { Kysely } from 'kysely';
import { AppError } from '#contract/errors.ts';
import type { BillRow, BillView } from '#contract/suppliers/supplier-bills.ts';
import type { suppliers } from '#contract/suppliers/suppliers.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import { compareBill, readBill } from '#server/suppliers/index.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { SupplierDependencies } from './dependencies.ts';

const MOST_BILLS = 200;
const LONGEST_DAYS = 400;
const LINES_AT_ONCE = 500;

export function listBills({ store }: SupplierDependencies): Handler<typeof suppliers.bills> {
  return async () => {
    const rows = await store.db
      .selectFrom('supplier_bills')
      .selectAll()
      .orderBy('id', 'desc')
      .limit(MOST_BILLS)
      .execute();
    return rows.map(billView);
  };
}

export function readBillOf({ store }: SupplierDependencies): Handler<typeof suppliers.bill> {
  return async ({ params: { id } }) => {
    const row = await billRow(store.db, id);
    const lines = await store.db
      .selectFrom('supplier_bill_lines')
      .select('comparison')
      .where('bill_id', '=', id)
      .orderBy('line')
      .execute();
    return { ...billView(row), lines: lines.map(({ comparison }) => JSON.parse(comparison) as BillRow) };
  };
}

export function importBill(dependencies: SupplierDependencies): Handler<typeof suppliers.importBill> {
  const { store, settings } = dependencies;
  return async ({ body: { name, shape, mapping, channel_ids, csv } }, context) => {
    const caller = callerOf(context);
    const bill = readBill(csv, shape, mapping);
    const days = bill.lines.map(({ day }) => day);
    if (Math.max(...days) - Math.min(...days) > LONGEST_DAYS)
      throw new AppError('bill_unreadable', {}, { field: 'csv' });
    const { lines, ...totals } = await compareBill(store, channel_ids, bill, settings.current.QuotaPerUnit);
    return store.db.transaction().execute(async (transaction) => {
      const row = await transaction
        .insertInto('supplier_bills')
        .values({
          created_at: nowSeconds(dependencies),
          created_by: caller.id,
          name,
          shape,
          mapping: JSON.stringify(mapping),
          channel_ids: JSON.stringify(channel_ids),
          totals: JSON.stringify(totals),
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      const values = lines.map((line, index) => ({
        bill_id: row.id,
        line: index,
        comparison: JSON.stringify(line),
      }));
      for (let at = 0; at < values.length; at += LINES_AT_ONCE)
        await transaction
          .insertInto('supplier_bill_lines')
          .values(values.slice(at, at + LINES_AT_ONCE))
          .execute();
      await context.audit(transaction, 'supplier.import_bill', `bill:${row.id}`, undefined, {
        name,
        shape,
        channel_ids,
        rows: lines.length,
      });
      return billView(row);
    });
  };
}

export function removeBill({ store }: SupplierDependencies): Handler<typeof suppliers.removeBill> {
  return async ({ params: { id } }, context) => {
    await store.db.transaction().execute(async (transaction) => {
      const { name, shape } = await billRow(transaction, id);
      await transaction.deleteFrom('supplier_bill_lines').where('bill_id', '=', id).execute();
      await transaction.deleteFrom('supplier_bills').where('id', '=', id).execute();
      await context.audit(transaction, 'supplier.remove_bill', `bill:${id}`, { name, shape });
    });
    return null;
  };
}

async function billRow(db: Kysely<Schema>, id: number): Promise<Row<'supplier_bills'>> {
  const row = await db.selectFrom('supplier_bills').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw new AppError('not_found');
  return row;
}

type StoredTotals = Omit<BillView, 'id' | 'created_at' | 'name' | 'shape' | 'channel_ids'>;

function billView({ id, created_at, name, shape, channel_ids, totals }: Row<'supplier_bills'>): BillView {
  return {
    ...(JSON.parse(totals) as StoredTotals),
    id,
    created_at,
    name,
    shape: shape as BillView['shape'],
    channel_ids: JSON.parse(channel_ids) as number[],
  };
}
