/** The colour of a model: given once, then kept in this browser, so that it does not change with the chosen time. */
const KEY = 'model-hues';
/** The tenth hue is that of all the others together. */
const HUES = 9;
const MOST_KEPT = 200;

export type ModelHues = ReadonlyMap<string, number>;

/** The text of a stored map; whatever is not a model with a hue is left out. */
export function readHues(text: string | null): ModelHues {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(list)) return new Map();
    return new Map(
      list.flatMap((entry: unknown): [string, number][] => {
        if (!Array.isArray(entry)) return [];
        const [model, hue]: unknown[] = entry;
        const isHue = typeof hue === 'number' && Number.isInteger(hue) && hue >= 1 && hue <= HUES;
        return typeof model === 'string' && isHue ? [[model, hue]] : [];
      }),
    );
  } catch {
    return new Map();
  }
}

/**
 * Models shown together never share a hue. Each keeps the one it had; where two had the same, the first keeps it. The
 * models shown last are remembered longest.
 */
export function giveHues(models: readonly string[], known: ModelHues): ModelHues {
  const shown = new Map<string, number>();
  const taken = new Set<number>();
  for (const model of models) {
    const hue = known.get(model);
    if (hue === undefined || taken.has(hue)) continue;
    shown.set(model, hue);
    taken.add(hue);
  }
  const uses = (hue: number) => [...known.values()].filter((each) => each === hue).length;
  for (const model of models.filter((each) => !shown.has(each))) {
    const free = Array.from({ length: HUES }, (_, index) => index + 1).filter((hue) => !taken.has(hue));
    const [hue] = free.toSorted((left, right) => uses(left) - uses(right) || left - right);
    if (hue === undefined) continue;
    shown.set(model, hue);
    taken.add(hue);
  }
  const others = [...known].filter(([model]) => !shown.has(model));
  return new Map([...shown, ...others].slice(0, MOST_KEPT));
}

let hues: ModelHues | undefined;

/** The hues of models that are shown together. */
export function huesOf(models: readonly string[]): ModelHues {
  hues = giveHues(models, hues ?? readHues(localStorage.getItem(KEY)));
  localStorage.setItem(KEY, JSON.stringify([...hues]));
  return hues;
}
