/** Limits of the fields of a request, which the build reads from the contract's schema; the words are those of the server. */
export interface Limit {
  shortest?: number;
  longest?: number;
  least?: number;
  most?: number;
}

export type Limits = Readonly<Record<string, Limit>>;

type Words = (
  key: `limit.${'empty' | 'shortest' | 'longest' | 'least' | 'most'}`,
  values: { limit: number },
) => string;

/** Undefined when the value keeps its limit, or is no text or number. */
export function limitProblem(limit: Limit | undefined, value: unknown, words: Words): string | undefined {
  const { shortest = 0, longest = Infinity, least = -Infinity, most = Infinity } = limit ?? {};
  if (typeof value === 'string') {
    // The schemas trim before they measure.
    const { length } = value.trim();
    if (length < shortest)
      return words(shortest === 1 ? 'limit.empty' : 'limit.shortest', { limit: shortest });
    return length > longest ? words('limit.longest', { limit: longest }) : undefined;
  }
  if (typeof value !== 'number') return undefined;
  if (value < least) return words('limit.least', { limit: least });
  return value > most ? words('limit.most', { limit: most }) : undefined;
}
