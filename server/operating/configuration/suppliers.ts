// Suppliers in the file: known by their name. A channel names its supplier, which may be made by the same file.
import type { Transaction } from 'kysely';
import { buyPriceFault } from '#contract/money/channel-costs.ts';
import type { Actor } from '#server/admin/context.ts';
import { removeSupplier, saveSupplier } from '#server/admin/margins/write-supplier.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { supplierItem, type Current } from './current.ts';
import type { ConfigurationDocument } from './document.ts';
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
  actor: Actor,
  transaction: Transaction<Schema>,
  name: string,
  buyPrice: string | undefined,
): Promise<void> {
  const before = await transaction
    .selectFrom('suppliers')
    .selectAll()
    .where('name', '=', name)
    .executeTakeFirst();
  if (buyPrice !== undefined) await saveSupplier(actor, transaction, before, { name, buy_price: buyPrice });
  else if (before !== undefined) await removeSupplier(actor, transaction, before.id);
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
