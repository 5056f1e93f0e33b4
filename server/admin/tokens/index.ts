// API tokens of the signed-in user, one file per verb. A token of another user gives 404 everywhere, except to administrators
// who look for a leaked key, or read the page of a key, which does not show it.
import type { Handlers } from '#server/admin/context.ts';
import type { tokens } from '#contract/admin/tokens.ts';
import { batchTokens } from './batch.ts';
import { changeToken } from './change.ts';
import { createTokens } from './create.ts';
import type { TokenDependencies } from './dependencies.ts';
import { createKeyReadings } from '#server/admin/key-readings.ts';
import { disableLeaked, findKey, reportKeys } from './leaked.ts';
import { listTokens } from './list.ts';
import { tokenPage } from './page.ts';
import { readToken } from './read.ts';
import { removeToken } from './remove.ts';
import { restoreToken } from './restore.ts';

export type { TokenDependencies } from './dependencies.ts';

export function createTokenHandlers(dependencies: TokenDependencies): Handlers<typeof tokens> {
  const readings = createKeyReadings('token.read_keys');
  return {
    list: listTokens(dependencies, readings),
    search: listTokens(dependencies, readings),
    read: readToken(dependencies, readings),
    create: createTokens(dependencies),
    change: changeToken(dependencies),
    batch: batchTokens(dependencies),
    remove: removeToken(dependencies),
    restore: restoreToken(dependencies),
    page: tokenPage(dependencies, 'own'),
    managedPage: tokenPage(dependencies, 'below'),
    find: findKey(dependencies),
    disable: disableLeaked(dependencies),
    report: reportKeys(dependencies),
  };
}
