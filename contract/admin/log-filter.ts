// Which rows of the usage log a request asks for.
import { z } from 'zod';
import { FAILURE_CAUSES } from '#contract/relay/failures.ts';

/** Up to the year 9999. */
export const logSeconds = z.coerce.number().int().min(0).max(253_402_300_799);
/** Existing API clients send every field; an empty one is no filter. */
const text = z
  .string()
  .trim()
  .max(255)
  .transform((value) => (value === '' ? undefined : value))
  .optional();
const blankIsNone = (value: unknown) => (value === '' || value === '0' || value === 0 ? undefined : value);

export const logRange = z.object({
  start_timestamp: z.preprocess(blankIsNone, logSeconds.optional()),
  end_timestamp: z.preprocess(blankIsNone, logSeconds.optional()),
});

const rowId = z.preprocess(blankIsNone, z.coerce.number().int().positive().optional());

export const logFilter = z.object({
  type: z.coerce.number().int().min(0).max(8).default(0),
  /** Current name of the token; rows from before a rename are found too. */
  token_name: text,
  /** One name or several with commas; `%` matches any text. */
  model_name: z
    .string()
    .trim()
    .max(4000)
    .transform((value) => (value === '' ? undefined : value))
    .optional(),
  group: text,
  request_id: text,
  /** Failed calls of this cause only. */
  cause: z.preprocess(blankIsNone, z.enum(FAILURE_CAUSES).optional()),
  ...logRange.shape,
  /** Calls of an organization: whose key made them, as it was then. */
  member_id: rowId,
  service_account_id: rowId,
  project_id: rowId,
  /** Calls of an organization with this tag, as `team=search`; without a value: with any of its values. */
  tag: text,
});
export const adminLogFilter = logFilter.extend({
  username: text,
  channel: z.preprocess(blankIsNone, z.coerce.number().int().positive().optional()),
});
export type LogFilter = z.output<typeof logFilter>;
export type AdminLogFilter = z.output<typeof adminLogFilter>;
