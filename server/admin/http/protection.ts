// Whether a user has two-factor or a passkey.
import { sql, type AliasedRawBuilder } from 'kysely';

/** For a query over `users`. */
export function isProtected(): AliasedRawBuilder<0 | 1, 'is_protected'> {
  return sql<0 | 1>`case
    when exists (select 1 from totp_secrets where totp_secrets.user_id = users.id and totp_secrets.enabled_at > 0)
      or exists (select 1 from passkeys where passkeys.user_id = users.id)
    then 1 else 0 end`.as('is_protected');
}
