// What the calls of organizations are attributed to, against the log: figures by holder are written with the charge and corrected with
// it, cells by holder are summed from the rows. Hours whose rows were cleaned away are left out. Each is one statement, so it sees one
// moment.
import { sql, type RawBuilder } from 'kysely';
import { DAY_SECONDS, HOUR_SECONDS } from '#contract/time.ts';
import { LATE_REFERENCE } from '#server/money/ledger/engine/late.ts';
import type { AuditSource } from './breach.ts';
import type { Finding } from './finding.ts';

export const HOLDER_HOURS_INVARIANT =
  'the figures of members, service accounts and projects are the sums of the log';
export const HOLDER_CELLS_INVARIANT =
  'the usage reports of members, service accounts and projects are the sums of the log';

const hour = sql`created_at - created_at % ${sql.lit(HOUR_SECONDS)}`;
const ofOrganization = sql`logs.type = 2 and user_id in (select id from organizations)`;
const isKept = (start: RawBuilder<unknown>) => sql`${start} >= (select cleaned_before from log_cleaning)`;
const holder = sql`member_id, service_account_id, project_id, token_id`;

/** Only of those whose row says whose call it was; once for the call, and once for each of its tags. */
function hours({ dialect }: Pick<AuditSource, 'dialect'>): RawBuilder<Finding> {
  const figures = sql`-1, -quota`;
  const attributed = sql`${ofOrganization} and member_id + service_account_id + project_id > 0`;
  const tags =
    dialect === 'sqlite'
      ? sql`json_each(nullif(logs.tags, '')) tag`
      : sql`json_each_text(cast(nullif(logs.tags, '') as json)) tag`;
  return sql`
    select user_id, 'hour ' || hour || ' by holder ' || tag_key || ': calls differ by ' || sum(count) || ', charges by ' || sum(quota)
      as detail
    from (
      select user_id, hour, tag_key, tag_value, ${holder}, model_name, count, quota from holder_hours
      union all select user_id, ${hour}, '', '', ${holder}, model_name, ${figures} from logs where ${attributed}
      union all select user_id, ${hour}, tag.key, tag.value, ${holder}, model_name, ${figures} from logs, ${tags}
        where ${attributed}) figures
    where ${isKept(sql`hour`)} group by user_id, hour, tag_key, tag_value, ${holder}, model_name having sum(count) <> 0 or sum(quota) <> 0`;
}

/** A row that was settled late stays counted as it was first written, so the tokens of its organization are not compared. */
const cells = (): RawBuilder<Finding> => sql`
  select user_id, 'hour ' || start || ' of cells by holder: calls differ by ' || sum(calls) as detail
  from (
    select user_id, start, ${holder}, calls, output + audio_output as answers,
      input + cache_read + cache_write_5m + cache_write_1h + image_input + audio_input as prompts
      from holder_cells where seconds = ${sql.lit(HOUR_SECONDS)}
    union all select user_id, ${hour}, ${holder}, -1, -completion_tokens, -prompt_tokens from logs
      where ${ofOrganization} and id <= (select position from usage_positions where name = 'holder_cells')) cells
  where ${isKept(sql`start`)} group by user_id, start, ${holder}
  having sum(calls) <> 0 or ((sum(prompts) <> 0 or sum(answers) <> 0)
    and user_id not in (select user_id from ledger where reference = ${LATE_REFERENCE}))
  union all select user_id, 'day ' || day || ' of cells by holder is not the sum of its hours'
  from (
    select user_id, start - start % ${sql.lit(DAY_SECONDS)} as day, ${holder}, model_name, kind, tier, long_context,
      case seconds when ${sql.lit(HOUR_SECONDS)} then 1 else -1 end * (calls + input + cache_read + cache_write_5m + cache_write_1h
        + image_input + audio_input + output + audio_output + pieces + web_searches) as figures
      from holder_cells) days
  group by user_id, day, ${holder}, model_name, kind, tier, long_context having sum(figures) <> 0`;

export const holderChecks = (source: AuditSource): Record<string, () => RawBuilder<Finding>> => ({
  [HOLDER_HOURS_INVARIANT]: () => hours(source),
  [HOLDER_CELLS_INVARIANT]: cells,
});
