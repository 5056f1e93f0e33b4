/** Whose keys or calls of an organization a list shows, in its address and in its query. */

/** In the address of a list. */
export interface HolderSearch {
  member?: number | undefined;
  service_account?: number | undefined;
  project?: number | undefined;
}

export const NO_HOLDER = { member: undefined, service_account: undefined, project: undefined } as const;

/** As the server names them. */
export const holderQuery = ({ member, service_account, project }: HolderSearch) => ({
  member_id: member,
  service_account_id: service_account,
  project_id: project,
});
