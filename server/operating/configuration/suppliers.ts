// Suppliers in the file: known by their name. A channel names its supplier, which may be made by the same file.
import type { Transaction } from 'kysely';
import { buyPriceFault } from '#contract/money/channel-costs.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { supplierItem, type Current } from './current.ts';
import type { ConfigurationDocument } from './document.ts';
import type { AuditedChange } from './parts.ts';
import type { Item } from './state.ts';

export interface WantedSuppliers {
  /** Text of the buy price by name. */
  wanted: Map<string, string>;
  items: Item[];
}

type Problem = (place: string, sentence: string) => void;

export function wantedSuppliers(
  { suppliers = [] }: ConfigurationDocument,
  problem: Problem,
): WantedSuppliers {
  const wanted = new Map<string, string>();
  const items: Item[] = [];
  for (const [index, { name, buy_price }] of suppliers.entries()) {
    const place = `suppliers[${index}]`;
    const fault = buy_price === undefined ? undefined : buyPriceFault(buy_price);
    if (fault !== undefined) problem(`${place}.buy_price`, `${fault} is not valid.`);
    if (wanted.has(name)) problem(`${place}.name`, 'Another supplier has this name.');
    const text = buy_price === undefined ? '' : JSON.stringify(buy_price);
    wanted.set(name, text);
    items.push(supplierItem({ name, buy_price: text }));
  }
  return { wanted, items };
}

/** Suppliers that the installation has or the file makes. */
export function checkSupplier(
  name: string | undefined,
  { current, suppliers }: { current: Current; suppliers: WantedSuppliers },
  problem: (sentence: string) => void,
): void {
  if (name === undefined || name === '' || suppliers.wanted.has(name)) return;
  if (!current.suppliers.some((supplier) => supplier.name === name)) problem('There is no such supplier.');
}

/** Makes, changes or, without a wanted text, removes the supplier. */
export async function writeSupplier(
  transaction: Transaction<Schema>,
  name: string,
  buyPrice: string | undefined,
): Promise<AuditedChange> {
  const before = await transaction
    .selectFrom('suppliers')
    .selectAll()
    .where('name', '=', name)
    .executeTakeFirst();
  if (buyPrice === undefined) {
    const id = before?.id ?? 0;
    await transaction.deleteFrom('suppliers').where('id', '=', id).execute();
    await transaction.updateTable('channels').set({ supplier_id: 0 }).where('supplier_id', '=', id).execute();
    return { action: 'supplier.delete', target: `supplier:${id}`, before };
  }
  const after = before
    ? await transaction
        .updateTable('suppliers')
        .set({ buy_price: buyPrice })
        .where('id', '=', before.id)
        .returningAll()
        .executeTakeFirstOrThrow()
    : await transaction
        .insertInto('suppliers')
        .values({ name, buy_price: buyPrice, created_at: Math.floor(Date.now() / 1000) })
        .returningAll()
        .executeTakeFirstOrThrow();
  const action = before ? 'supplier.change' : 'supplier.create';
  return { action, target: `supplier:${after.id}`, before, after };
}

/** After the suppliers of the file were written. */
export async function supplierId(transaction: Transaction<Schema>, name: string): Promise<number> {
  if (name === '') return 0;
  const { id } = await transaction
    .selectFrom('suppliers')
    .select('id')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return id;
}
