// Names and numbers an operator redirects: model names (chains are followed, a circle stops) and upstream status codes.

export type StringMap = ReadonlyMap<string, string>;

/** JSON text of a flat object; anything else maps nothing. */
export function parseStringMap(text: string): StringMap {
  const map = new Map<string, string>();
  if (text.trim() === '') return map;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return map;
    for (const [key, target] of Object.entries(value)) {
      if (typeof target === 'string' || typeof target === 'number') map.set(key, String(target));
    }
  } catch {
    // Saved by an older version or by hand: a channel without a mapping still works.
  }
  return map;
}

/** The upstream's name for a model. In a circle the last name before it closes counts. */
export function mapModel(mapping: StringMap, model: string): string {
  if (mapping.size === 0) return model;
  let name = model;
  const seen = new Set<string>([model]);
  for (;;) {
    const next = mapping.get(name)?.trim();
    if (next === undefined || next === '' || seen.has(next)) return name;
    seen.add(next);
    name = next;
  }
}

export function mapStatus(mapping: StringMap, status: number): number {
  const mapped = mapping.get(String(status));
  if (mapped === undefined || !/^[1-5]\d\d$/.test(mapped)) return status;
  return Number(mapped);
}
