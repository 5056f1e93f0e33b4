// Runs the audit's statements, and beside each one every version of it with one clause changed that has given the same rows so far. What
// is left over after all states of the books is a clause that no state decides.
import type { CompiledQuery, Kysely, QueryResult } from 'kysely';
import { DatabaseError } from 'pg';
import type { AuditSource } from '#server/money/audit/breach.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { changed, changesOf, withValues, type Change } from './clauses.ts';

const oneLine = (sql: string) => sql.replaceAll(/\s+/g, ' ').trim();

/** Part of a statement, the changes of it that give the same rows, and why. */
export type Exemption = readonly [statement: RegExp, change: RegExp, reason: string];

/** What is replaced, by what, and what stands before it. */
function describe(sql: string, change: Change | undefined): string {
  if (change === undefined) return '';
  const { start, end, text } = change;
  const before = oneLine(sql.slice(Math.max(0, start - 90), start));
  return `${oneLine(sql.slice(start, end))} -> ${oneLine(text)} [after: ${before}]`;
}

export class Clauses {
  /** By the text of the statement: the places in its list of changes that made no difference so far. */
  readonly #undecided = new Map<string, Set<number>>();
  count = 0;
  /** Runs before the statement that reads a page of users. */
  onArrival: (() => Promise<void>) | undefined;

  readonly #exemptions: readonly Exemption[];

  constructor(exemptions: readonly Exemption[]) {
    this.#exemptions = exemptions;
  }

  /** The clauses that no state has decided. */
  undecided(): string[] {
    return [...this.#undecided].flatMap(([sql, places]) => {
      const changes = changesOf(sql);
      return [...places].map((place) => describe(sql, changes[place]));
    });
  }

  #start(sql: string): Set<number> {
    const changes = changesOf(sql);
    const plain = oneLine(sql);
    const exempt = this.#exemptions.filter(([statement]) => statement.test(plain));
    const isExempt = (change: Change) => exempt.some(([, pattern]) => pattern.test(describe(sql, change)));
    const places = new Set(changes.keys().filter((place) => !isExempt(changes[place] as Change)));
    this.#undecided.set(sql, places);
    this.count += places.size;
    return places;
  }

  async compare(db: Kysely<Schema>, query: CompiledQuery, result: QueryResult<unknown>): Promise<void> {
    const places = this.#undecided.get(query.sql) ?? this.#start(query.sql);
    if (places.size === 0) return;
    const text = withValues(query.sql, query.parameters);
    const changes = changesOf(text);
    const expected = fingerprint(result);
    for (const place of places) {
      const change = changes[place];
      if (change === undefined) throw new Error(`no change ${place} in ${text}`);
      const found = await rowsOf(db, { ...query, sql: changed(text, change), parameters: [] });
      if (found !== expected) places.delete(place);
    }
  }

  watched<Source extends AuditSource>(source: Source): Source {
    const { db } = source;
    const executor = db.getExecutor();
    const watchedExecutor = overlay(executor, {
      executeQuery: async (query: CompiledQuery) => {
        if (query.sql.includes('from usage_hours')) await this.onArrival?.();
        const result = await executor.executeQuery(query);
        await this.compare(db, query, result);
        return result;
      },
    });
    return overlay(source, { db: overlay(db, { getExecutor: () => watchedExecutor }) });
  }

  watchedStore(store: Store): Store {
    return overlay(store, { openReader: async () => this.watched(await store.openReader()) });
  }
}

/** The object with some properties replaced; its methods keep their `this`. */
function overlay<Target extends object>(target: Target, replaced: Record<string, unknown>): Target {
  return new Proxy(target, {
    get(_, name) {
      if (typeof name === 'string' && name in replaced) return replaced[name];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

const fingerprint = ({ rows }: QueryResult<unknown>) =>
  rows
    .map((row) => JSON.stringify(row))
    .sort()
    .join('\n');

async function rowsOf(db: Kysely<Schema>, query: CompiledQuery): Promise<string> {
  try {
    return fingerprint(await db.getExecutor().executeQuery(query));
  } catch (error) {
    // A subquery that finds several rows: without its clause the statement does not run.
    if (error instanceof DatabaseError && error.code === '21000') return 'several rows';
    throw new Error(`the changed statement is wrong: ${query.sql}`, { cause: error });
  }
}
