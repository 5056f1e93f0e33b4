// A member asks for more of a budget; who manages budgets grants it with one call, or declines.
import type { Kysely, Transaction } from 'kysely';
import type { BudgetRequestView, budgets } from '#contract/admin/organization-budgets.ts';
import { hasRight } from '#contract/admin/organization-rights.ts';
import { AppError } from '#contract/errors.ts';
import { unixSeconds } from '#contract/time.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import { grantExtra } from '#server/money/ledger/budget-counters.ts';
import { raiseNotice } from '#server/platform/notices/index.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { actFor, scopeIn } from '#server/admin/organizations/acting.ts';
import { budgetOf } from './change.ts';
import { boundingCallsOf } from './list.ts';
import { budgetsOf, counterClock, type BudgetParts } from './view.ts';

const MOST_SHOWN = 200;

export function listRequests({ store }: BudgetParts): Handler<typeof budgets.requests> {
  return async (_, context) => {
    const { id, role } = scopeIn(context);
    const all = requestsOf(store.db, id);
    if (hasRight(role, 'budgets.read')) return await all.execute();
    return await all.where('request.asked_by', '=', callerOf(context).id).execute();
  };
}

export function askForMore({ store }: BudgetParts): Handler<typeof budgets.ask> {
  return async ({ params, body: { amount, reason, value } }, context) => {
    const made = await store.db.transaction().execute(async (transaction) => {
      const { id, caller, role } = await actFor(store, transaction, context, 'budgets.ask');
      const budget = await budgetOf(transaction, id, params.id);
      if (!hasRight(role, 'budgets.read')) {
        const own = await budgetsOf(transaction, id).$call(boundingCallsOf(id, caller.id)).execute();
        if (!own.some((row) => row.id === budget.id)) throw new AppError('not_found');
      }
      const counter = await transaction
        .selectFrom('budget_counters')
        .select('id')
        .where('budget_id', '=', budget.id)
        .where('value', '=', budget.subject === 'tag' && budget.tag_value === '' ? value : '')
        .executeTakeFirst();
      if (counter === undefined) throw new AppError('budget_value_unknown', {}, { field: 'value' });
      await refuseSecond(transaction, counter.id, caller.id);
      const row = await transaction
        .insertInto('budget_requests')
        .values({
          organization_id: id,
          budget_id: budget.id,
          counter_id: counter.id,
          asked_by: caller.id,
          amount,
          reason,
          created_at: unixSeconds(),
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await context.audit(transaction, 'budget.ask', `budget:${budget.id}`, undefined, {
        request: row.id,
        amount,
        reason,
      });
      await raiseNotice(transaction, {
        event: 'budget_asked',
        userId: id,
        values: { budget: budget.name, member: caller.username, amount, reason },
      });
      return row;
    });
    return await oneRequest(store.db, made);
  };
}

export function grantRequest(parts: BudgetParts): Handler<typeof budgets.grant> {
  const { store } = parts;
  return async ({ params, body }, context) => {
    const clock = await counterClock(parts);
    const decided = await store.db.transaction().execute(async (transaction) => {
      const { id, caller, row: organization } = await actFor(store, transaction, context, 'budgets.manage');
      const row = await openRequest(transaction, id, params.id);
      const { amount = row.amount, answer } = body;
      await decide(transaction, row, caller.id, { status: 'granted', granted: amount, answer });
      await grantExtra(store, transaction, row.counter_id, { amount, clock });
      await tellAsker(transaction, row, { organization: organization.name, granted: amount, answer });
      const after = { request: row.id, asked_by: row.asked_by, amount, answer };
      await context.audit(transaction, 'budget.grant', `budget:${row.budget_id}`, undefined, after);
      return row;
    });
    await store.changes.announce('budgets', String(decided.organization_id));
    return await oneRequest(store.db, decided);
  };
}

export function declineRequest({ store }: BudgetParts): Handler<typeof budgets.decline> {
  return async ({ params, body: { answer } }, context) => {
    const decided = await store.db.transaction().execute(async (transaction) => {
      const { id, caller, row: organization } = await actFor(store, transaction, context, 'budgets.manage');
      const row = await openRequest(transaction, id, params.id);
      await decide(transaction, row, caller.id, { status: 'declined', granted: 0, answer });
      await tellAsker(transaction, row, { organization: organization.name, granted: 0, answer });
      const after = { request: row.id, asked_by: row.asked_by, answer };
      await context.audit(transaction, 'budget.decline', `budget:${row.budget_id}`, undefined, after);
      return row;
    });
    return await oneRequest(store.db, decided);
  };
}

type Request = Row<'budget_requests'>;

/** With the organization locked: of two answers at once the second finds it decided. */
async function openRequest(
  transaction: Transaction<Schema>,
  organizationId: number,
  id: number,
): Promise<Request> {
  const row = await transaction
    .selectFrom('budget_requests')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (row === undefined) throw new AppError('not_found');
  if (row.status !== 'open') throw new AppError('budget_request_decided');
  return row;
}

async function decide(
  transaction: Transaction<Schema>,
  { id }: Request,
  decidedBy: number,
  decision: Pick<Request, 'status' | 'granted' | 'answer'>,
): Promise<void> {
  await transaction
    .updateTable('budget_requests')
    .set({ ...decision, decided_at: unixSeconds(), decided_by: decidedBy })
    .where('id', '=', id)
    .execute();
}

async function tellAsker(
  transaction: Transaction<Schema>,
  { budget_id, asked_by }: Request,
  values: { organization: string; granted: number; answer: string },
): Promise<void> {
  const budget = await transaction
    .selectFrom('budgets')
    .select('name')
    .where('id', '=', budget_id)
    .executeTakeFirst();
  await raiseNotice(transaction, {
    event: 'budget_decided',
    userId: asked_by,
    values: { ...values, budget: budget?.name ?? '' },
  });
}

async function refuseSecond(
  transaction: Transaction<Schema>,
  counterId: number,
  userId: number,
): Promise<void> {
  const open = await transaction
    .selectFrom('budget_requests')
    .select('id')
    .where('counter_id', '=', counterId)
    .where('asked_by', '=', userId)
    .where('status', '=', 'open')
    .executeTakeFirst();
  if (open !== undefined) throw new AppError('budget_request_open');
}

const requestsOf = (db: Kysely<Schema>, organizationId: number) =>
  db
    .selectFrom('budget_requests as request')
    .innerJoin('budgets', 'budgets.id', 'request.budget_id')
    .innerJoin('budget_counters as counter', 'counter.id', 'request.counter_id')
    .leftJoin('users as asker', 'asker.id', 'request.asked_by')
    .leftJoin('users as decider', 'decider.id', 'request.decided_by')
    .select(['request.id', 'request.budget_id', 'budgets.name as budget_name', 'counter.value'])
    .select(['request.asked_by', 'request.amount', 'request.reason', 'request.status', 'request.granted'])
    .select(['request.answer', 'request.created_at', 'request.decided_at'])
    .select((builder) => [
      builder.fn.coalesce('asker.username', builder.val('')).as('asked_by_name'),
      builder.fn.coalesce('decider.username', builder.val('')).as('decided_by_name'),
    ])
    .where('request.organization_id', '=', organizationId)
    .orderBy((builder) => builder.case().when('request.status', '=', 'open').then(0).else(1).end())
    .orderBy('request.id', 'desc')
    .limit(MOST_SHOWN);

async function oneRequest(
  db: Kysely<Schema>,
  { id, organization_id }: Pick<Request, 'id' | 'organization_id'>,
): Promise<BudgetRequestView> {
  return await requestsOf(db, organization_id).where('request.id', '=', id).executeTakeFirstOrThrow();
}
