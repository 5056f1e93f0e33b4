// Each state breaks the books by direct SQL without the guards, and the whole audit must report it, and the regular one but for the states of
// whole-audit-only.ts. Then every clause of every statement of
// the audit is changed alone: the rows that the statement gives must differ in one of the states.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants, invariantNames } from '#server/money/audit/invariants.ts';
import { databaseSource, forEachDatabase } from '#tests/support/databases.ts';
import { openBooks, type Books, type Corruption } from './books.ts';
import { sameEitherWay } from './clause-exemptions.ts';
import { clauseStates } from './clause-states.ts';
import { corruptions } from './corruptions.ts';
import { removeGuards } from './guards.ts';
import { Clauses } from './watched-audit.ts';
import { onlyWholeReason } from './whole-audit-only.ts';

setDefaultTimeout(600_000);

/** Minutes on PostgreSQL, and nearly all of the statements are the same there: they are changed on both where CI is set. */
const isWatchedOn = (label: string) => label === 'sqlite' || Boolean(process.env['CI']);

forEachDatabase((label) => {
  describe('deliberate corruption', () => {
    const clauses = new Clauses(sameEitherWay(label));
    const visited = new Set<Corruption>();
    const isWatched = isWatchedOn(label);
    const states = [...clauseStates, ...corruptions].filter(
      ([, , , only]) => only === undefined || only === label,
    );

    async function visit(state: Corruption): Promise<void> {
      visited.add(state);
      const [invariant, how, plant, , count] = state;
      const { open, closeAll } = databaseSource(label);
      let opened: Books | undefined;
      try {
        const store = await open();
        const books = await openBooks(store);
        opened = books;
        expect(await checkInvariants(store)).toEqual([]);
        await removeGuards(store);
        await plant(books);
        clauses.onArrival = books.onArrival;
        const found = await checkInvariants(isWatched ? clauses.watched(store) : store);
        const ofInvariant = found.filter((breach) => breach.invariant === invariant);
        expect(ofInvariant.map(({ userId }) => userId)).toContain(books.userId);
        if (count !== undefined) expect(ofInvariant.map(({ detail }) => detail)).toHaveLength(count);
        const regular = await books.startAudit(isWatched ? clauses.watchedStore(store) : store).check();
        const isSeen = regular.some(
          (breach) => breach.invariant === invariant && breach.userId === books.userId,
        );
        expect([how, isSeen]).toEqual([how, onlyWholeReason(state) === undefined]);
      } finally {
        await opened?.world.close();
        await closeAll();
      }
    }

    for (const state of states) {
      const [invariant, how] = state;
      test(`${how}: "${invariant}" is found broken`, () => visit(state));
    }

    test('every invariant has a corruption that breaks it', () => {
      expect([...new Set(corruptions.map(([invariant]) => invariant))].toSorted()).toEqual(
        [...invariantNames].toSorted(),
      );
    });

    test.if(isWatched)(
      'every clause of every check decides what the audit reports in one of these states (M21)',
      async () => {
        for (const state of states) if (!visited.has(state)) await visit(state);
        expect(clauses.count).toBeGreaterThan(500);
        expect(clauses.undecided()).toEqual([]);
      },
    );
  });
});
