// Who is a customer of an agent, also where invitations form a circle.
import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { customersOf } from '#server/admin/resellers/customers.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

forEachDatabase((_label, open) => {
  test('an agent has those it invited and those they invited, each once, and never itself', async () => {
    const { db } = await open();
    const add = async (username: string, inviter_id = 0) => {
      const values = { username, aff_code: username, inviter_id };
      const { id } = await db.insertInto('users').values(values).returning('id').executeTakeFirstOrThrow();
      return id;
    };
    const agent = await add('agent');
    const friend = await add('friend', agent);
    await add('second', friend);
    await add('stranger');
    const invite = (id: number, inviter_id: number) =>
      db.updateTable('users').set({ inviter_id }).where('id', '=', id).execute();
    const customers = async (hasSecondLevel: boolean) => {
      const { rows } = await sql<{ username: string; level: number }>`
        select username, level from (${customersOf(agent, hasSecondLevel)}) c order by username`.execute(db);
      return rows.map(({ username, level }) => `${username} ${level}`);
    };
    expect(await customers(false)).toEqual(['friend 1']);
    expect(await customers(true)).toEqual(['friend 1', 'second 2']);
    // Two who invited each other.
    await invite(agent, friend);
    expect(await customers(true)).toEqual(['friend 1', 'second 2']);
    // One who invited itself.
    await invite(agent, agent);
    expect(await customers(true)).toEqual(['friend 1', 'second 2']);
  });
});
