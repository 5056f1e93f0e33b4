// The newest log rows of a token for the holder of its key, as its owner sees them. A wrong key and a deleted token give
// the same response.
import { AppError } from '#contract/errors.ts';
import type { Language } from '#contract/language.ts';
import { LOG_SEARCH_ROWS, LOG_TYPE, type LogView } from '#contract/admin/logs.ts';
import { TOKEN_KEY_PREFIX } from '#contract/admin/tokens.ts';
import { readerOf } from './dependencies.ts';
import { pageOfRows } from './page.ts';
import type { LogReading } from './reading.ts';
import type { Scope } from './scope.ts';
import { logViewOf } from './view.ts';

const END_OF_TIME = 253_402_300_799;

export function logsByKey(reading: LogReading) {
  return async (
    { query }: { query: { key: string } },
    { language }: { language: Language },
  ): Promise<LogView[]> => {
    const { store } = reading.dependencies;
    const key = query.key.startsWith(TOKEN_KEY_PREFIX) ? query.key.slice(TOKEN_KEY_PREFIX.length) : query.key;
    const token = await store.db
      .selectFrom('tokens')
      .select(['id', 'user_id'])
      .where('key_digest', '=', store.vault.digest('token', key))
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    if (!token) throw new AppError('not_found');
    const scope: Scope = {
      from: 0,
      to: END_OF_TIME,
      type: LOG_TYPE.all,
      userId: token.user_id,
      tokenIds: [token.id],
    };
    const figures = await reading.figures(scope);
    const { rows } = await pageOfRows(reading.dependencies, scope, figures, {
      limit: LOG_SEARCH_ROWS,
      offset: 0,
    });
    return rows.map((row) => logViewOf(row, readerOf(reading.dependencies, language), false));
  };
}
