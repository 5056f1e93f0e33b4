// The operator's mappings of a channel: model names (chains are followed, cycles end) and upstream status codes.

export type StringMap = ReadonlyMap<string, string>;

/** Reads a flat JSON object; anything else is an empty mapping. */
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
    // Invalid JSON, saved by hand or by an older version, maps nothing.
  }
  return map;
}

/** The upstream's name for a model. A cycle ends at the last name before it repeats. */
export const mapModel = (mapping: StringMap, model: string): string =>
  mapping.size === 0 ? model : follow(mapping, model);

function follow(mapping: StringMap, model: string): string {
  let name = model;
  const seen = new Set<string>([model]);
  for (;;) {
    const next = mapping.get(name)?.trim();
    if (next === undefined || next === '' || seen.has(next)) return name;
    seen.add(next);
    name = next;
  }
}

/** The status the caller reads. One that HTTP does not know becomes 502: the platform cannot send it. */
export function mapStatus(mapping: StringMap, status: number): number {
  const mapped = mapping.get(String(status));
  if (mapped !== undefined && /^[2-5]\d\d$/.test(mapped)) return Number(mapped);
  return status >= 200 && status <= 599 ? status : 502;
}
