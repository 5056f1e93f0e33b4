// Objects of the upstream's account that a Responses call can name: conversations, stored prompts and items, files, vector
// stores and containers. The account is the operator's and all users share it, so an id says nothing about whose the object is:
// such calls are refused. `previous_response_id` is the exception; it is looked up among the caller's own.
import { isObject, objects, text, type Json } from '#server/formats/json.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';

export function refuseSharedObjects(value: Json): void {
  const field = sharedObjectIn(value);
  if (field !== undefined) throw new RelayError('state_not_here', { field }, { param: field });
}

/** The first member that names one; undefined: none. */
function sharedObjectIn(value: Json): string | undefined {
  const stored = ['conversation', 'prompt'].find((name) => (value[name] ?? null) !== null);
  if (stored !== undefined) return stored;
  for (const [index, item] of objects(value['input']).entries()) {
    if (item['type'] === 'item_reference') return `input[${index}]`;
    const parts = [...objects(item['content']), ...objects(item['output'])];
    if (parts.some(namesFile)) return `input[${index}].file_id`;
  }
  for (const [index, tool] of objects(value['tools']).entries()) {
    if (hasEntries(tool['vector_store_ids'])) return `tools[${index}].vector_store_ids`;
    const { container } = tool;
    if (typeof container === 'string') return `tools[${index}].container`;
    if (isObject(container) && hasEntries(container['file_ids'])) return `tools[${index}].container.file_ids`;
    const mask = tool['input_image_mask'];
    if (isObject(mask) && namesFile(mask)) return `tools[${index}].input_image_mask.file_id`;
  }
  return undefined;
}

const namesFile = (part: Json): boolean => text(part['file_id']) !== '';
const hasEntries = (list: unknown): boolean => Array.isArray(list) && list.length > 0;
