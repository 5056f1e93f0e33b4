// The checks of the console for what a source says. A value that the console would refuse is named with its field; the row
// stays behind, is brought disabled, or comes without the field.
import type { z } from 'zod';
import { CHANNEL_STATUS, channelCreate } from '#contract/relay/channel-fields.ts';
import { AppError, errorMessage, type ErrorCode } from '#contract/errors.ts';
import { problemWords } from '#contract/problem-words.ts';
import { channelColumns, checkAddressForm, checkType, keysOf } from '#server/admin/channels/fields.ts';
import { channelTypes } from '#server/admin/channels/types.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import { CellError } from '#server/operating/import-export/source/fields.ts';
import type { Report } from './report.ts';

/** Throws the reason why the console would refuse one of the values. */
export function requireFields(schema: z.ZodType, values: object): void {
  const issue = schema.safeParse(values, { reportInput: true }).error?.issues[0];
  if (issue !== undefined) throw new CellError(`${issue.path.join('.')} ${problemWords(issue, 'en')}`);
}

/** A channel works without them, though not as at the source. */
const DROPPED = ['model_mapping', 'status_code_mapping', 'param_override', 'header_override'] as const;
/** The operator fills in what is missing and enables the channel. */
const INCOMPLETE: readonly ErrorCode[] = [
  'channel_base_url_required',
  'channel_other_required',
  'channel_other_invalid',
];

/**
 * The columns that can be stored. Whether an address is private and whether it exists is found out at a call, because the
 * command may run elsewhere than the server.
 */
export async function checkChannel(
  report: Report,
  columns: NewRow<'channels'>,
  keys: readonly string[],
): Promise<NewRow<'channels'>> {
  const name = columns.name ?? '';
  const key = keys.join('\n');
  const kept = { ...columns };
  requireFields(channelCreate, { ...kept, key });
  for (;;) {
    try {
      channelColumns(channelCreate.parse({ ...kept, key }));
      break;
    } catch (error) {
      const dropped = DROPPED.find((field) => error instanceof AppError && error.extra['field'] === field);
      if (dropped === undefined) throw cellError(error);
      report.conflict(`channel ${name}: ${sentenceOf(error)}, brought without it`);
      kept[dropped] = '';
    }
  }
  const { type = 0, base_url = '', other = '' } = kept;
  try {
    await checkType(
      { types: channelTypes, checkAddress: async (url) => checkAddressForm(url) },
      { type, base_url, other },
      'en',
    );
    if (key !== '') keysOf({ types: channelTypes }, type, key);
  } catch (error) {
    if (!(error instanceof AppError && INCOMPLETE.includes(error.code))) throw cellError(error);
    report.conflict(`channel ${name}: ${sentenceOf(error)}, brought disabled`);
    kept.status = CHANNEL_STATUS.disabled;
  }
  return kept;
}

/** A refusal of the console as the reason why a row is left behind; any other error as it is. */
export const cellError = (error: unknown): unknown =>
  error instanceof AppError ? new CellError(sentenceOf(error)) : error;

function sentenceOf(error: unknown): string {
  if (!(error instanceof AppError)) return String(error);
  const field = typeof error.extra['field'] === 'string' ? `${error.extra['field']}: ` : '';
  return `${field}${errorMessage(error.code, 'en', error.parameters)}`;
}
