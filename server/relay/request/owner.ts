// Whose tasks, files, responses and conversations a key reaches: a person's own, and in an organization those of its project, as at OpenAI. A task
// or file that a key began stays within its reach when it is moved to another project.
import { sql, type RawBuilder, type SqlBool } from 'kysely';

/** A caller, or a person. */
export interface Owner {
  readonly userId: number;
  readonly tokenId?: number;
  readonly organization?: { readonly projectId: number } | undefined;
}

/** On the rows of tasks and of files. */
export function isOwned({ userId, tokenId = 0, organization }: Owner): RawBuilder<SqlBool> {
  if (organization === undefined) return sql`user_id = ${userId}`;
  return sql`user_id = ${userId} and (project_id = ${organization.projectId} or token_id = ${tokenId})`;
}
