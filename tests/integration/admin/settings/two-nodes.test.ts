// Two nodes on one PostgreSQL database: prices that two operators save at the same moment, each on another node, are not lost.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);

/** Options of prices that are JSON objects by model or group. */
const PRICE_OPTIONS = ['GroupRatio', 'ModelRatio', 'ModelPrice', 'CompletionRatio', 'CacheRatio'] as const;

let place: TemporaryPlace;
let nodes: TestApplication[];
let anna: Actor;
beforeAll(async () => {
  place = await temporaryPlace('postgres');
  const { dataDir, databaseUrl } = place;
  const first = await startApplication({ place: { dataDir, databaseUrl } });
  nodes = [first, await startApplication({ place: { dataDir, databaseUrl } })];
  anna = await first.actor({ role: ROLE.root, username: 'anna' });
});
afterAll(async () => {
  for (const node of nodes) await node.close();
  await place.remove();
});

const nodeAt = (index: number): TestApplication => {
  const node = nodes[index];
  if (node === undefined) throw new Error(`no node ${index}`);
  return node;
};
const save = (node: TestApplication, key: string, value: object, based_on: string) =>
  node.request('/api/option/', {
    method: 'PUT',
    as: anna,
    body: { key, value: JSON.stringify(value), based_on },
    language: 'en',
  });
const stored = async (key: string): Promise<Record<string, number>> => {
  const row = await nodeAt(0)
    .store.db.selectFrom('options')
    .select('value')
    .where('key', '=', key)
    .executeTakeFirst();
  return row === undefined ? {} : (JSON.parse(row.value) as Record<string, number>);
};
const shown = async (key: string) =>
  (await nodeAt(0).client(anna).options.list()).data.find((entry) => entry.key === key)?.value ?? '';

for (const key of PRICE_OPTIONS)
  test(`of two saves of ${key} on two nodes at the same moment the second is refused, and nothing of the first is lost (O42)`, async () => {
    const base = await shown(key);
    const members = base.trim() === '' ? {} : (JSON.parse(base) as Record<string, number>);
    const written = nodes.map((_, index) => ({ ...members, [`of-node-${index}`]: index + 0.5 }));
    const replies = await Promise.all(
      nodes.map((node, index) => save(node, key, written[index] ?? {}, base)),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const winner = replies.findIndex(({ status }) => status === 200);
    expect(await stored(key)).toEqual(written[winner] ?? {});

    // The refused one is answered what is there now; merged with it, both are kept.
    const refused = replies[1 - winner]?.body as { code: string; conflict: { fields: { theirs: string }[] } };
    expect(refused.code).toBe('changed_meanwhile');
    const theirs = refused.conflict.fields[0]?.theirs ?? '';
    const merged = { ...(JSON.parse(theirs) as object), ...written[1 - winner] };
    const again = await save(nodeAt(1 - winner), key, merged, theirs);
    expect(again.body.success).toBe(true);
    expect(await stored(key)).toEqual({ ...members, 'of-node-0': 0.5, 'of-node-1': 1.5 });
  });
