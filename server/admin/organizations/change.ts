// Changes the name of an organization, whether answers are kept for its keys, or the company data of its receipts.
import { organizations } from '#contract/admin/organizations.ts';
import type { OrganizationRight } from '#contract/admin/organization-rights.ts';
import type { Handler, RequestContext } from '#server/admin/context.ts';
import { editedFields, refuseConflict } from '#server/admin/based-on.ts';
import { changeUser } from '#server/admin/write-user.ts';
import { AppError } from '#contract/errors.ts';
import type { Input } from '#contract/endpoint.ts';
import { actFor, type Acting } from './acting.ts';
import type { OrganizationDependencies } from './dependencies.ts';
import { companyOf, organizationView } from './view.ts';
import type { Transaction } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';

type Parts = Pick<OrganizationDependencies, 'store'>;
type Change = (transaction: Transaction<Schema>, acting: Acting) => Promise<void>;

export function changeOrganization(parts: Parts): Handler<typeof organizations.change> {
  return ({ body }, context) =>
    changing(parts, context, 'organization.manage', async (transaction, { id, row }) => {
      const target = `organization:${id}` as const;
      const fields = organizations.change.body;
      const present = { name: row.name, answer_cache: row.answer_cache === 1 };
      await refuseConflict(transaction, { fields, body, present, target });
      const { name = present.name, answer_cache = present.answer_cache } = editedFields(fields, body);
      if (name === present.name && answer_cache === present.answer_cache)
        throw new AppError('nothing_changed');
      await transaction
        .updateTable('organizations')
        .set({ name, answer_cache: answer_cache ? 1 : 0 })
        .where('id', '=', id)
        .execute();
      await changeUser(transaction, id, { display_name: Array.from(name).slice(0, 20).join('') });
      await context.audit(transaction, 'organization.change', target, present, { name, answer_cache });
    });
}

export function changeCompany(parts: Parts): Handler<typeof organizations.changeCompany> {
  return ({ body }, context) =>
    changing(parts, context, 'billing.manage', async (transaction, { id, row }) => {
      const target = `organization:${id}` as const;
      const fields = organizations.changeCompany.body;
      const present = companyOf(row);
      await refuseConflict(transaction, { fields, body, present, target });
      const after = { ...present, ...companyIn(editedFields(fields, body)) };
      await transaction.updateTable('organizations').set(after).where('id', '=', id).execute();
      await context.audit(transaction, 'organization.change_company', target, present, after);
    });
}

type Company = Omit<Input<typeof organizations.changeCompany>['body'], 'based_on'>;

/** The named fields only. */
function companyIn({ company_name, company_address, tax_id, billing_email }: Company): Company {
  const given = Object.entries({ company_name, company_address, tax_id, billing_email });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

async function changing({ store }: Parts, context: RequestContext, right: OrganizationRight, change: Change) {
  const { id, role } = await store.db.transaction().execute(async (transaction) => {
    const acting = await actFor(store, transaction, context, right);
    await change(transaction, acting);
    return acting;
  });
  await store.changes.announce('organizations', String(id));
  // Its keys are kept in memory with what they inherit.
  await store.changes.announce('users', String(id));
  return await organizationView(store.db, { id }, role);
}
