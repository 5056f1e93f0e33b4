// Creates one token or a batch; all of a batch or none of it.
import type { Handler } from '#server/admin/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { TOKEN_DEFAULTS, TOKEN_STATUS, TOKEN_SUFFIX_LENGTH, type tokens } from '#contract/admin/tokens.ts';
import { batchTokenName } from '#contract/admin/token-names.ts';
import type { TokenDependencies } from './dependencies.ts';
import { tokenColumns } from './fields.ts';
import { holdOrganization, newHolder } from './holder.ts';
import { insertTokens } from './insert.ts';
import { newKey, openKey, randomAlphanumeric } from './key.ts';
import { refuseTooMany } from './limit.ts';
import { accountTarget, reachOf } from './reach.ts';
import { tokenViews } from './view.ts';

export function createTokens(dependencies: TokenDependencies): Handler<typeof tokens.create> {
  return async ({ body }, context) => {
    const reach = reachOf(context);
    const { count = 1, suffixes = [], member_id, service_account_id, project_id, ...fields } = body;
    const wanted = { ...TOKEN_DEFAULTS, ...fields, name: fields.name ?? '' };
    const columns = tokenColumns(dependencies, reach, wanted);
    const { store } = dependencies;
    const now = nowSeconds(dependencies);

    const made = batchNames(columns.name ?? '', count, suffixes).map((name) => ({
      key: newKey(),
      columns: {
        ...columns,
        name,
        status: TOKEN_STATUS.enabled,
        remain_quota: wanted.remain_quota,
        created_time: now,
      },
    }));

    const created = await store.db.transaction().execute(async (transaction) => {
      await holdOrganization(store, transaction, context);
      const asked = { member_id, service_account_id, project_id };
      const holder = await newHolder(transaction, context, asked);
      await refuseTooMany(store, transaction, reach.userId, made.length, holder);
      const held = made.map(({ key, columns: own }) => ({ key, columns: { ...own, ...holder } }));
      const stored = await insertTokens(store, transaction, reach.userId, held);
      await context.audit(transaction, 'token.create', accountTarget(reach), undefined, {
        ids: stored.map((row) => row.id),
        ...(holder && {
          member_id: holder.member_id,
          service_account_id: holder.service_account_id,
          project_id: holder.project_id,
        }),
        name: columns.name,
        remain_quota: wanted.remain_quota,
        unlimited_quota: wanted.unlimited_quota,
        group: wanted.group,
      });
      return stored;
    });
    const views = await tokenViews(dependencies, context, reach.userId, created);
    // An admin key reads no key, except the one that it makes for a service account.
    if (context.via !== 'admin_key') return views;
    return views.map((view, at) => {
      const row = created[at];
      return row && row.service_account_id > 0 ? { ...view, key: openKey(store.vault, row) } : view;
    });
  };
}

/** The first has the plain name, the others get different suffixes: those that were asked for, then random ones. */
export function batchNames(name: string, count: number, suffixes: readonly string[] = []): string[] {
  const asked = suffixes.slice(0, count - 1).map((suffix) => batchTokenName(name, suffix));
  const names = new Set([name, ...asked]);
  while (names.size < count) names.add(batchTokenName(name, randomAlphanumeric(TOKEN_SUFFIX_LENGTH)));
  return [...names];
}
