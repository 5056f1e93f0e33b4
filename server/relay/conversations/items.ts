// Items of the Responses API as its listings show them.
import { objects, type Json } from '#server/models/formats/json.ts';

/** A message in the API's full shape: with its type, and its content in parts. */
export function plainItem(item: Json): Json {
  if (item['type'] !== undefined && item['type'] !== 'message') return item;
  const { content } = item;
  const type = item['role'] === 'assistant' ? 'output_text' : 'input_text';
  const parts = typeof content === 'string' ? [{ type, text: content }] : objects(content);
  return { ...item, type: 'message', content: parts };
}

/** A page of items, latest first by default; ids serve as cursors. */
export function pageOfItems(items: readonly Json[], query: URLSearchParams): Json {
  const ordered = query.get('order') === 'asc' ? items : items.toReversed();
  const limit = Math.min(Math.max(Math.trunc(Number(query.get('limit') ?? 20)) || 20, 1), 100);
  const after = query.get('after');
  const start = after === null ? 0 : ordered.findIndex((item) => item['id'] === after) + 1;
  const data = ordered.slice(start, start + limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
    has_more: start + limit < ordered.length,
  };
}
