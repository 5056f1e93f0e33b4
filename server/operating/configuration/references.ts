// `${ENV:NAME}` in a text of the file stands for a variable of the environment. Secrets are written that way, so that the file
// can be kept in a repository.

const REFERENCE = /\$\{ENV:(\w+)\}/g;

export interface Resolved {
  value: unknown;
  /** Variables that are not set. */
  missing: string[];
}

export function resolve(value: unknown, variables: Record<string, string | undefined>): Resolved {
  const missing: string[] = [];
  const visit = (part: unknown): unknown => {
    if (typeof part === 'string')
      return part.replaceAll(REFERENCE, (whole, name: string) => {
        const found = variables[name];
        if (found === undefined || found === '') missing.push(name);
        return found ?? whole;
      });
    if (Array.isArray(part)) return part.map(visit);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, member]) => [key, visit(member)]));
  };
  return { value: visit(value), missing };
}

/**
 * `Azure (East)` and `KEY` → `${ENV:TOLLGATE_CHANNEL_AZURE_EAST_KEY}`. Names that differ only in other characters, such as
 * two names in Chinese, get a number: with one variable the key of one channel would go to the address of another.
 */
export function referenceMaker(): (...words: string[]) => string {
  const used = new Set<string>();
  return (...words) => {
    const name = words
      .map((word) => word.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2').replaceAll(/[^A-Za-z\d]+/g, '_'))
      .join('_')
      .replaceAll(/_+/g, '_')
      .replaceAll(/^_|_$/g, '')
      .toUpperCase();
    let free = name;
    for (let number = 2; used.has(free); number += 1) free = `${name}_${number}`;
    used.add(free);
    return `\${ENV:TOLLGATE_${free}}`;
  };
}
