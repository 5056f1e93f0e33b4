// Queries of the pages of organizations find their rows by an index, so that their time does not grow with the site (issue 33: a thousand
// organizations of a hundred members). The times themselves: npm run bench -- --pages.
import { sql } from 'kysely';
import { expect, test } from 'bun:test';
import { organizationManagement } from '#contract/admin/organization-management.ts';
import { matchingManaged, sortedManaged } from '#server/admin/organizations/managed-view.ts';
import { budgetsOf } from '#server/admin/organizations/budgets/view.ts';
import { membersOf } from '#server/admin/organizations/members.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

interface Compilable {
  compile(): { sql: string; parameters: readonly unknown[] };
}

forEachDatabase((label, open) => {
  /** The tables that are read as a whole. */
  async function scannedBy(query: Compilable): Promise<string[]> {
    const { db } = await open();
    const { sql: text, parameters } = query.compile();
    // Each parameter in its place: a plan with a placeholder may be another one.
    const values = [...parameters];
    const parts = text.split(label === 'sqlite' ? '?' : /\$\d+/);
    const whole = sql.join(
      parts.flatMap((part, at) =>
        at < parts.length - 1 ? [sql.raw(part), sql.lit(values[at])] : [sql.raw(part)],
      ),
      sql``,
    );
    const explain = label === 'sqlite' ? sql`explain query plan ` : sql`explain `;
    const rows = await db.transaction().execute(async (transaction) => {
      // A small table is cheaper to read as a whole.
      if (label === 'postgres') await sql`set local enable_seqscan = off`.execute(transaction);
      return (await sql`${explain}${whole}`.execute(transaction)).rows;
    });
    const plan = rows.map((row) => Object.values(row as object).join(' ')).join('\n');
    return [...plan.matchAll(/(?:^|\s)(?:SCAN|Seq Scan on) (\w+)/g)].map(([, table = '']) => table);
  }

  test('a member list, and the budgets of one organization', async () => {
    const { db } = await open();
    expect(await scannedBy(membersOf(db, 7).select('users.username'))).toEqual([]);
    expect(await scannedBy(budgetsOf(db, 7))).toEqual([]);
  });

  test('the list of organizations reads no users but their accounts, whatever it is filtered and sorted by', async () => {
    const { db } = await open();
    for (const asked of [
      {},
      { sort: 'members' },
      { sort: 'quota' },
      { group: 'vip' },
      { state: 'active' },
      { state: 'suspended' },
      { keyword: 'acme' },
    ]) {
      const query = organizationManagement.list.query.parse(asked);
      const matching = matchingManaged(db, query);
      const page = sortedManaged(matching, query).select('organizations.id').limit(10);
      const count = matching.select((builder) => builder.fn.countAll().as('total'));
      const scanned = [...(await scannedBy(page)), ...(await scannedBy(count))];
      expect([asked, scanned.filter((table) => table === 'users')]).toEqual([asked, []]);
    }
  });

  test('usage by holder and by tag', async () => {
    const { db } = await open();
    for (const tag of ['', 'team']) {
      const rows = db
        .selectFrom('holder_hours')
        .select('member_id')
        .where('user_id', '=', 7)
        .where('tag_key', '=', tag)
        .where('hour', '>=', 3600)
        .where('hour', '<', 7200);
      expect(await scannedBy(rows)).toEqual([]);
    }
  });
});
