// A site of 200 channels, 400 models and 5,000 users with ninety days of calls, and the sums that its jobs would have kept of
// them. A few users make most of the calls. The ledger has the users' grants but not the charges: no page asks for them.
import { KINDS, type SummedColumn } from '#server/admin/margins/kinds.ts';
import { SPANS } from '#server/money/sums/margin-spans.ts';
import { builtInModels } from '#server/money/prices/price-list/index.ts';
import type { Filling } from './fill.ts';

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;
export const DAYS = 90;
export const USERS = 5000;
export const CHANNELS = 200;
export const MODELS = 400;
const CHANNELS_OF_A_MODEL = 10;
/** Above every user of a fresh installation; the first one has the most calls. */
export const FIRST_USER = 1000;
const GRANT = 1_000_000_000;
const ROWS_PER_INSERT = 1_000_000;
const ORDERS = 20_000;

/** Those of the price list, so that each has a price and a maker. */
export const modelNames = (): string[] =>
  builtInModels()
    .slice(0, MODELS)
    .map(({ model }) => model);

/** The channels that offer a model, counted from 0. */
export const channelsOf = (model: number): number[] =>
  Array.from({ length: CHANNELS_OF_A_MODEL }, (_, at) => (model * 3 + at * 17) % CHANNELS);

export async function seedSite(filling: Filling, rows: number, now: number): Promise<void> {
  const { run, numbers, whole, padded, indexes } = filling;
  const start = now - DAYS * DAY_SECONDS;
  const time = `${start} + i * ${DAYS * DAY_SECONDS} / ${rows}`;
  const chance = '(((i * 7919 + 13) % 10007) / 10007.0)';
  await run('create table bench_models (at integer primary key, name text not null)');
  await run(
    `insert into bench_models (at, name) values ${modelNames()
      .map((name, at) => `(${at}, '${name.replaceAll("'", "''")}')`)
      .join(', ')}`,
  );
  await run(`insert into users (id, username, aff_code, quota, "group")
    ${numbers(0, USERS - 1)} select ${FIRST_USER} + i, 'seed' || i, 'seed' || i, ${GRANT}, 'default' from n`);
  await run(`insert into ledger (idem, created_at, user_id, debit_account, credit_account, amount, kind, reference)
    ${numbers(0, USERS - 1)} select 'seed:' || i, ${start}, ${FIRST_USER} + i, 'world:admin',
      'user:' || (${FIRST_USER} + i), ${GRANT}, 'admin', 'seed' from n`);
  await run(`insert into tokens (id, user_id, name, key_digest, unlimited_quota, accessed_time)
    ${numbers(0, USERS - 1)} select ${FIRST_USER} + i, ${FIRST_USER} + i, 'key', 'seed' || i, 1, ${now} - i from n`);
  const logIndexes = await indexes('logs');
  for (const index of logIndexes.keys()) await run(`drop index "${index}"`);
  for (let from = 0; from < rows; from += ROWS_PER_INSERT) {
    const range = numbers(from, Math.min(from + ROWS_PER_INSERT, rows) - 1);
    // A user stays with a model and a channel for an hour, so that the sums by the hour have several calls each.
    await run(`insert into logs (request_id, created_at, type, user_id, username, token_id, channel_id, model_name, "group",
        quota, cost, prompt_tokens, completion_tokens, use_time, content, other)
      ${range}, drawn(i, at, who) as (select i, ${time}, ${whole(`${USERS} * ${chance} * ${chance} * ${chance}`)} from n),
      chosen(i, at, who, model, hour) as (
        select i, at, who, (who * 7 + (at / ${HOUR_SECONDS}) % 4 * 37) % ${MODELS}, at / ${HOUR_SECONDS} from drawn)
      select 'seed-' || ${padded}, chosen.at, case when i % 83 = 0 then 5 else 2 end, ${FIRST_USER} + who, 'seed' || who,
        ${FIRST_USER} + who, 1 + (model * 3 + hour % 10 * 17) % ${CHANNELS}, name, 'default',
        case when i % 83 = 0 then 0 else 100 + i % 1000 end,
        case when i % 83 = 0 or model % 8 = 0 then null else 70 + i % 700 end,
        100, 200, 2, case when i % 83 = 0 then 'status 500' else '' end,
        '{"frt":400,"use_ms":2400,"path":"/v1/chat/completions"}'
      from chosen join bench_models on bench_models.at = model`);
  }
  for (const statement of logIndexes.values()) await run(statement);
  const hour = `created_at - created_at % ${HOUR_SECONDS}`;
  const calls = 'sum(case when type = 2 then 1 else 0 end)';
  await run(`insert into usage_hours (hour, user_id, token_id, channel_id, model_name, count, quota, prompt_tokens,
      completion_tokens, error_count, use_time_ms, first_token_ms)
    select ${hour}, user_id, token_id, channel_id, model_name, ${calls}, sum(quota), sum(prompt_tokens),
      sum(completion_tokens), sum(case when type = 5 then 1 else 0 end), 2400 * ${calls}, 400 * ${calls}
    from logs group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`);
  await run(`insert into margin_days (day, channel_id, model_name, "group", user_id, count, quota, cost, costed_count, costed_quota)
    select created_at - created_at % ${DAY_SECONDS}, channel_id, model_name, "group", user_id, count(*), sum(quota),
      sum(coalesce(cost, 0)), count(cost), sum(case when cost is null then 0 else quota end)
    from logs where type = 2 group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`);
  await run(`insert into channel_hours (channel_id, hour, attempts, failures, first_3)
    select channel_id, hour, sum(count + error_count), sum(error_count), sum(count) from usage_hours group by 1, 2`);
  await seedMeasured(filling, now);
  await seedMargins(filling, now);
  await run(`insert into refused_calls (minute, user_id, token_id, code, "group", model_name, count)
    ${numbers(0, DAYS * 24 * 20)} select ${start - (start % 60)} + i * 180, ${FIRST_USER} + i % 300, ${FIRST_USER} + i % 300,
      case when i % 3 = 0 then 'no_channel' else 'insufficient_quota' end, 'default', name, 1 + i % 5
    from n join bench_models on bench_models.at = i % ${MODELS}`);
  const paidFor = `${start} + i * ${DAYS * DAY_SECONDS} / ${ORDERS}`;
  await run(`insert into orders (trade_no, user_id, provider, payment_method, amount_minor, currency, amount, quota, status,
      created_at, paid_at)
    ${numbers(0, ORDERS - 1)} select 'seed' || i, ${FIRST_USER} + i % ${USERS}, 'epay', 'alipay', 7300, 'CNY', 10, 5000000,
      case when i % 9 = 0 then 'expired' else 'paid' end, ${paidFor},
      case when i % 9 = 0 then 0 else ${paidFor} + 20 end from n`);
  await run(`insert into usage_rollup (scope, key, hour, count, error_count, quota, prompt_tokens, completion_tokens)
    select 0, '', hour, sum(count), sum(error_count), sum(quota), sum(prompt_tokens), sum(completion_tokens)
    from usage_hours where hour < ${now - (now % HOUR_SECONDS)} - ${HOUR_SECONDS} group by hour`);
  // Nothing is left to do for the jobs that sum.
  const positions = {
    cells: '(select coalesce(max(id), 0) from logs)',
    measured: '(select coalesce(max(id), 0) from logs)',
    dividends: '(select coalesce(max(id), 0) from ledger)',
    rollup: `${now - (now % HOUR_SECONDS)}`,
    costs: `${now - (now % DAY_SECONDS)}`,
    refusals: `${now - (now % HOUR_SECONDS)}`,
  };
  for (const [name, position] of Object.entries(positions))
    await run(`update usage_positions set position = ${position} where name = '${name}'`);
}

/** As the job of margins would have summed past hours, days and weeks, without its many small statements. */
async function seedMargins({ run }: Filling, now: number): Promise<void> {
  const figures = ['count', 'quota', 'cost', 'costed_count', 'costed_quota'];
  const sums = figures.map((name) => `sum(${name})`).join(', ');
  // The last day that is over for an hour.
  const end = now - HOUR_SECONDS - ((now - HOUR_SECONDS) % DAY_SECONDS);
  const hours = `select created_at - created_at % ${HOUR_SECONDS} as day, channel_id, model_name, "group", user_id,
      1 as count, quota, coalesce(cost, 0) as cost, case when cost is null then 0 else 1 end as costed_count,
      case when cost is null then 0 else quota end as costed_quota
    from logs where type = 2 and created_at < ${end}`;
  for (const days of SPANS) {
    const length = Math.max(1, days) * DAY_SECONDS;
    const source =
      days === 0
        ? hours
        : `select day - day % ${length} as day, channel_id, model_name, "group", user_id, ${figures.join(', ')}
           from margin_days where day - day % ${length} + ${length} <= ${end}`;
    for (const [kind, columns] of Object.entries(KINDS)) {
      const key = (name: SummedColumn, empty: string) =>
        (columns as readonly SummedColumn[]).includes(name) ? name : `${empty} as ${name}`;
      await run(`insert into margin_sums (kind, days, day, channel_id, model_name, "group", user_id, ${figures.join(', ')})
        select '${kind}', ${days}, day, ${key('channel_id', '0')}, ${key('model_name', "''")}, "group",
          ${key('user_id', '0')}, ${sums} from (${source}) as source group by day, ${columns.join(', ')}, "group"
        order by day, ${columns.join(', ')}`);
    }
    await run(`insert into margin_summed (days, day, is_summed, changes)
      select distinct ${days}, day - day % ${length}, 1, 1 from margin_days where day - day % ${length} + ${length} <= ${end}`);
  }
}

/** As the job `measured` would have counted them: hours, the last minutes, and two histograms. */
async function seedMeasured({ run }: Filling, now: number): Promise<void> {
  const counts = `sum(case when type = 2 then 1 else 0 end), sum(case when type = 5 then 1 else 0 end),
    sum(case when type = 2 then 1 else 0 end), sum(case when type = 2 then 1 else 0 end)`;
  for (const [seconds, since] of [
    [HOUR_SECONDS, 0],
    [60, now - 6 * HOUR_SECONDS],
  ])
    await run(`insert into measured_cells (seconds, start, model_name, answered, failed, first_6, speed_14)
      select ${seconds}, created_at - created_at % ${seconds}, model_name, ${counts} from logs
      where created_at >= ${since} group by 2, 3 order by 2, 3`);
}
