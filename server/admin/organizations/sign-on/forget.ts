// What goes with an organization, and with the account of a person.
import type { Schema } from '#server/platform/store/schema.ts';
import type { Transaction } from 'kysely';

/** Its domains are free for another organization. */
export async function forgetSignOn(transaction: Transaction<Schema>, organizationId: number): Promise<void> {
  await transaction
    .deleteFrom('sign_on_group_people')
    .where('group_id', 'in', (builder) =>
      builder.selectFrom('sign_on_groups').select('id').where('organization_id', '=', organizationId),
    )
    .execute();
  await transaction.deleteFrom('sign_on_groups').where('organization_id', '=', organizationId).execute();
  await transaction.deleteFrom('sign_on_people').where('organization_id', '=', organizationId).execute();
  await transaction.deleteFrom('sign_on_domains').where('organization_id', '=', organizationId).execute();
  await transaction.deleteFrom('sign_on_providers').where('organization_id', '=', organizationId).execute();
  await transaction.deleteFrom('sign_on_troubles').where('organization_id', '=', organizationId).execute();
  await transaction.deleteFrom('scim_tokens').where('organization_id', '=', organizationId).execute();
}

export async function forgetPerson(transaction: Transaction<Schema>, userId: number): Promise<void> {
  await transaction
    .deleteFrom('sign_on_group_people')
    .where('person_id', 'in', (builder) =>
      builder.selectFrom('sign_on_people').select('id').where('user_id', '=', userId),
    )
    .execute();
  await transaction.deleteFrom('sign_on_people').where('user_id', '=', userId).execute();
}
