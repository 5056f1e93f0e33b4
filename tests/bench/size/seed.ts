// Fills a migrated database with charges of the last sixty days, each with its log row, and everything that belongs to them:
// users, grants, balances and hourly figures. The books are right: every invariant holds. Made by the database itself.
import { fillPostgres, fillSqlite, type Filling } from './fill.ts';

const DAY_SECONDS = 86_400;
const DAYS = 60;
const USERS = 5000;
/** Above every user of a fresh installation. */
const FIRST_USER = 1000;
const GRANT = 1_000_000_000_000;
const ROWS_PER_INSERT = 1_000_000;

export async function seedSqlite(dataDir: string, rows: number): Promise<void> {
  const filling = fillSqlite(dataDir);
  await seed(filling, rows);
  await filling.finish();
}

export async function seedPostgres(databaseUrl: string, rows: number): Promise<void> {
  const filling = await fillPostgres(databaseUrl, DAYS);
  await seed(filling, rows);
  await filling.run(`select setval(pg_get_serial_sequence('users', 'id'), ${FIRST_USER + USERS})`);
  await filling.finish();
}

async function seed({ run, numbers, padded, indexes }: Filling, rows: number): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const start = now - DAYS * DAY_SECONDS;
  const user = `${FIRST_USER} + i % ${USERS}`;
  const time = `${start} + i * ${DAYS * DAY_SECONDS} / ${rows}`;
  const amount = '100 + i % 1000';
  const name = `'seed' || (${user})`;
  await run(`insert into users (id, username, aff_code)
    ${numbers(0, USERS - 1)} select ${user}, ${name}, ${name} from n`);
  await run(`insert into ledger (idem, created_at, user_id, debit_account, credit_account, amount, kind, reference)
    ${numbers(0, USERS - 1)} select 'seed:' || (${user}), ${start}, ${user}, 'world:admin', 'user:' || (${user}),
      ${GRANT}, 'admin', 'seed' from n`);
  const logIndexes = await indexes('logs');
  for (const index of logIndexes.keys()) await run(`drop index "${index}"`);
  for (let from = 0; from < rows; from += ROWS_PER_INSERT) {
    const range = numbers(from, Math.min(from + ROWS_PER_INSERT, rows) - 1);
    await run(`insert into ledger (idem, created_at, user_id, debit_account, credit_account, amount, kind, reference)
      ${range} select 'seed-' || ${padded}, ${time}, ${user}, 'user:' || (${user}), 'revenue', ${amount}, 'use', 'logged'
      from n`);
    await run(`insert into logs (request_id, created_at, type, user_id, username, channel_id, model_name, "group",
        quota, prompt_tokens, completion_tokens, use_time, other)
      ${range} select 'seed-' || ${padded}, ${time}, 2, ${user}, ${name}, 1 + i % 20, 'model-' || (i % 30), 'default',
        ${amount}, 100, 20, 2, '{"frt":400,"path":"/v1/chat/completions"}' from n`);
  }
  for (const statement of logIndexes.values()) await run(statement);
  await run(`insert into usage_hours (hour, user_id, token_id, channel_id, model_name, count, quota, prompt_tokens,
      completion_tokens)
    select created_at - created_at % 3600, user_id, 0, 1, 'model-0', count(*), sum(quota), sum(prompt_tokens),
      sum(completion_tokens) from logs where type = 2 and user_id >= ${FIRST_USER} group by 1, 2
    -- Calls write the figures of an hour next to each other.
    order by 1, 2`);
  await run(`update users set quota = ${GRANT} - used.total, used_quota = used.total, request_count = used.calls
    from (select user_id, sum(quota) as total, count(*) as calls from logs group by user_id) as used
    where users.id = used.user_id and users.id >= ${FIRST_USER}`);
}
