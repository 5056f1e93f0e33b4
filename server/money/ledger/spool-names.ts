// Names in the directory of the spools: `<node>.<unique id>.jsonl` and its lock. Earlier versions wrote `<node>.jsonl` and
// `<node>.jsonl.draining`, without a lock.
import { join } from 'node:path';

export function spoolPath(directory: string, nodeId: string, uniqueId: string): string {
  return join(directory, `${encodeURIComponent(nodeId)}.${uniqueId}.jsonl`);
}

export const lockOf = (path: string): string => `${path}.lock`;

export interface LeftSpool {
  path: string;
  nodeId: string;
}

const PATTERN = /^((.+?)(?:\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})?\.jsonl)(?:\.lock|\.draining)?$/;

/** The spools that these file names belong to, each once. */
export function spoolsAmong(directory: string, names: readonly string[]): LeftSpool[] {
  const spools = new Map<string, LeftSpool>();
  for (const name of names) {
    const [, base = '', node = ''] = PATTERN.exec(name) ?? [];
    if (base !== '') spools.set(base, { path: join(directory, base), nodeId: decodeURIComponent(node) });
  }
  return [...spools.values()];
}
