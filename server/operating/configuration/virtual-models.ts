// Virtual models in the file: known by their name, and checked by the schema and the rules of the API.
import type { Transaction } from 'kysely';
import type { z } from 'zod';
import { AppError, errorMessage } from '#contract/errors.ts';
import { virtualModelFields, type VirtualModelFields } from '#contract/relay/virtual-models.ts';
import type { Actor } from '#server/admin/context.ts';
import { removeVirtualModel, saveVirtualModel } from '#server/admin/virtual-models/write.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { ConfigurationError, type ConfigurationDocument } from './document.ts';
import type { Item } from './state.ts';

export const virtualModelItem = ({ name, ...fields }: VirtualModelFields): Item => ({
  kind: 'virtual_models',
  name,
  fields,
});

interface Problems {
  add(place: string, sentence: string): void;
  schema(place: string, error: z.ZodError): void;
}

export function wantedVirtualModels(
  { virtual_models = [] }: ConfigurationDocument,
  problems: Problems,
): { wanted: Map<string, VirtualModelFields>; items: Item[] } {
  const wanted = new Map<string, VirtualModelFields>();
  for (const [index, entry] of virtual_models.entries()) {
    const place = `virtual_models[${index}]`;
    const parsed = virtualModelFields.strict().safeParse(entry, { reportInput: true });
    if (!parsed.success) {
      problems.schema(place, parsed.error);
      continue;
    }
    const { name } = parsed.data;
    if (wanted.has(name)) problems.add(`${place}.name`, 'Another virtual model has this name.');
    wanted.set(name, parsed.data);
  }
  return { wanted, items: [...wanted.values()].map(virtualModelItem) };
}

/** Makes, changes or, without wanted fields, removes it. After the channels of the file, whose models its targets are. */
export async function writeVirtualModel(
  actor: Actor,
  transaction: Transaction<Schema>,
  name: string,
  fields: VirtualModelFields | undefined,
): Promise<void> {
  const before = await transaction
    .selectFrom('virtual_models')
    .selectAll()
    .where('name', '=', name)
    .executeTakeFirst();
  try {
    if (fields !== undefined) await saveVirtualModel(actor, transaction, before, fields);
    else if (before !== undefined) await removeVirtualModel(actor, transaction, before.id);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { field } = error.extra;
    const words = errorMessage(error.code, 'en', error.parameters);
    throw new ConfigurationError([
      `virtual_models.${name}${typeof field === 'string' ? `.${field}` : ''}: ${words}`,
    ]);
  }
}
