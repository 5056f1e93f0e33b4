// States of the figures by holder that the audit must report, each made by direct SQL.
import { sql } from 'kysely';
import { LATE_REFERENCE } from '#server/money/ledger/engine/late.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import { nowSeconds, type Books, type Corruption } from './books.ts';
import { makeOrganization, newId } from './world.ts';

const FIGURES = 'the figures of members, service accounts and projects are the sums of the log';
const CELLS = 'the usage reports of members, service accounts and projects are the sums of the log';
const [HOUR, DAY] = [3600, 86_400];
const holder = { member_id: 5, service_account_id: 0, project_id: 6 };
const atHour = () => nowSeconds() - (nowSeconds() % HOUR);

type Hours = Partial<NewRow<'holder_hours'>>;
type Cells = Partial<NewRow<'holder_cells'>>;

/** The user is an organization, whose settled call of 420 a member made, with a tag. */
async function attributed(books: Books): Promise<{ created_at: number }> {
  const { store, userId, requestId } = books;
  await makeOrganization(store, userId);
  const columns = { ...holder, tags: '{"team":"red"}', prompt_tokens: 30, completion_tokens: 4 };
  await store.db.updateTable('logs').set(columns).where('request_id', '=', requestId).execute();
  const { created_at } = await store.db
    .selectFrom('logs')
    .select('created_at')
    .where('request_id', '=', requestId)
    .executeTakeFirstOrThrow();
  return { created_at };
}

const hoursOf = ({ userId, tokenId }: Books, columns: Hours): NewRow<'holder_hours'> => ({
  user_id: userId,
  hour: 0,
  tag_key: '',
  tag_value: '',
  token_id: tokenId,
  model_name: 'alpha',
  count: 1,
  quota: 420,
  prompt_tokens: 30,
  completion_tokens: 4,
  error_count: 0,
  ...holder,
  ...columns,
});

/** Its figures; those without the tag and those with it may differ from what is right. */
async function countHours(books: Books, whole: Hours, ofTag: Hours = {}): Promise<void> {
  const { store, requestId } = books;
  const { created_at } = await attributed(books);
  const { model_name } = await store.db
    .selectFrom('logs')
    .select('model_name')
    .where('request_id', '=', requestId)
    .executeTakeFirstOrThrow();
  const call = { hour: created_at - (created_at % HOUR), model_name };
  await store.db
    .insertInto('holder_hours')
    .values([
      hoursOf(books, { ...call, ...whole }),
      hoursOf(books, { ...call, tag_key: 'team', tag_value: 'red', ...ofTag }),
    ])
    .execute();
  await countCells(books, created_at, {});
}

const cellOf = ({ userId, tokenId }: Books, columns: Cells): NewRow<'holder_cells'> => ({
  user_id: userId,
  seconds: HOUR,
  start: 0,
  token_id: tokenId,
  model_name: 'alpha',
  kind: 'completions',
  tier: '',
  long_context: 0,
  calls: 1,
  input: 10,
  cache_read: 20,
  cache_write_5m: 0,
  cache_write_1h: 0,
  image_input: 0,
  audio_input: 0,
  output: 4,
  audio_output: 0,
  pieces: 1,
  web_searches: 0,
  ...holder,
  ...columns,
});

/** Its cells of the hour and the day, which may differ from what is right, and how far the log is counted. */
async function countCells(books: Books, at: number, wrong: Cells, ofDay: Cells = wrong): Promise<void> {
  const { store } = books;
  await store.db
    .insertInto('holder_cells')
    .values([
      cellOf(books, { start: at - (at % HOUR), ...wrong }),
      cellOf(books, { seconds: DAY, start: at - (at % DAY), ...ofDay }),
    ])
    .execute();
  await store.db
    .updateTable('usage_positions')
    .set({ position: sql`(select max(id) from logs)` })
    .where('name', '=', 'holder_cells')
    .execute();
}

async function wrongCells(books: Books, wrong: Cells, ofDay?: Cells): Promise<void> {
  const { created_at } = await attributed(books);
  await countCells(books, created_at, wrong, ofDay);
}

const wrongHours = (how: string, whole: Hours, ofTag?: Hours): Corruption => [
  FIGURES,
  how,
  (books) => countHours(books, whole, ofTag),
  undefined,
  1,
];

export const holderCorruptions: Corruption[] = [
  wrongHours('another charge by holder', { quota: 421 }),
  wrongHours('another count by holder', { count: 2 }),
  wrongHours('another charge of a tag', {}, { quota: 419 }),
  [
    FIGURES,
    'a call counted for another member, beside what nobody counts',
    async (books) => {
      const { store } = books;
      // Lawful: rows of errors and of nobody, and figures whose rows were cleaned away.
      await countHours(books, { member_id: 7 });
      const tags = '{"team":"red"}';
      await books.log({ type: 5, ...holder, tags });
      await books.log({ tags });
      await store.db
        .updateTable('log_cleaning')
        .set({ cleaned_before: 2 * HOUR })
        .execute();
      await store.db
        .insertInto('holder_hours')
        .values(hoursOf(books, { hour: HOUR, quota: 9 }))
        .execute();
    },
    undefined,
    2,
  ],
  [CELLS, 'another count in the cells by holder', (books) => wrongCells(books, { calls: 2 }), undefined, 1],
  [CELLS, 'other tokens of prompts in the cells', (books) => wrongCells(books, { input: 11 }), undefined, 1],
  [CELLS, 'other tokens of answers in the cells', (books) => wrongCells(books, { output: 5 }), undefined, 1],
  [
    CELLS,
    'a day of cells that is not its hours',
    (books) => wrongCells(books, {}, { web_searches: 3 }),
    undefined,
    1,
  ],
  [
    CELLS,
    'a call in no cell, beside what no cell counts',
    async (books) => {
      const { store, world } = books;
      await attributed(books);
      // Lawful: the row of a person, of an error, before the cleaning, and one that is not counted yet.
      await books.log({ user_id: await world.user(1) });
      await books.log({ type: 5, ...holder });
      await store.db
        .updateTable('log_cleaning')
        .set({ cleaned_before: 2 * HOUR })
        .execute();
      await books.log({ created_at: HOUR });
      await countCells(books, atHour() - DAY, { calls: 0, input: 0, cache_read: 0, output: 0 });
      await books.log({ ...holder });
    },
    undefined,
    1,
  ],
  [
    CELLS,
    'other tokens in the cells, beside a call that was settled late',
    async (books) => {
      const { store, world, entry } = books;
      await wrongCells(books, { input: 9 });
      // Lawful: the row of the late settlement has other tokens than its cell.
      const late = { user_id: await world.user(100), token_id: 0, created_at: nowSeconds() };
      await makeOrganization(store, late.user_id);
      await books.log({ ...late, ...holder, prompt_tokens: 70 });
      await entry({
        user_id: late.user_id,
        idem: `${newId()}:late`,
        amount: 0,
        kind: 'use',
        reference: LATE_REFERENCE,
      });
      await store.db.deleteFrom('holder_cells').where('user_id', '=', late.user_id).execute();
      await countCells(books, late.created_at, { user_id: late.user_id, token_id: 0 });
    },
    undefined,
    1,
  ],
];
