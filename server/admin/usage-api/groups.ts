// What OpenAI's reports are grouped and filtered by. A project and a user are both the account, in an organization its projects and
// members; an API key is a token, a line item is a model.
import type { Parameters } from '#server/admin/query-parameters.ts';
import type { ReportScope } from './authenticate.ts';
import type { Filter, Group, Groups } from './report.ts';

export interface GroupField {
  /** Undefined: nothing of it is recorded, the field stays null. */
  column?: Group;
  value?(groups: Groups): unknown;
}

/** In an organization: its projects and members, as at each call. */
const HOLDER_FIELDS: Readonly<Record<string, GroupField>> = {
  project_id: { column: 'project_id', value: ({ project_id }) => (project_id ? `proj_${project_id}` : null) },
  user_id: { column: 'member_id', value: ({ member_id }) => (member_id ? `user-${member_id}` : null) },
};
export const TAG_GROUP = /^tag:(.+)$/;

const GROUP_FIELDS: Readonly<Record<string, GroupField>> = {
  project_id: { column: 'user_id', value: ({ user_id }) => `proj_${user_id}` },
  user_id: { column: 'user_id', value: ({ user_id }) => `user-${user_id}` },
  // Calls of the playground have no key.
  api_key_id: { column: 'token_id', value: ({ token_id }) => (token_id === 0 ? null : `key_${token_id}`) },
  model: { column: 'model_name', value: ({ model_name }) => model_name },
  line_item: { column: 'model_name', value: ({ model_name }) => model_name },
  batch: { column: 'batch', value: ({ batch }) => batch === 1 },
  service_tier: { column: 'service_tier', value: ({ service_tier }) => service_tier || 'default' },
  source: { column: 'kind', value: ({ kind }) => kind },
  size: {},
  vector_store_id: {},
  context_level: {},
};

export const fieldsOf = ({ member }: ReportScope) =>
  member === undefined ? GROUP_FIELDS : { ...GROUP_FIELDS, ...HOLDER_FIELDS };

/** In an organization projects and users are its own. */
export function filterOf({ member }: ReportScope, parameters: Parameters): Filter {
  if (member === undefined) return accountFilter(parameters);
  return {
    tokenIds: parameters.ids('api_key_ids'),
    projectIds: parameters.ids('project_ids'),
    memberIds: parameters.ids('user_ids'),
  };
}

export const columnsOf = (
  groups: readonly string[],
  fields: Readonly<Record<string, GroupField>>,
): Group[] => [...new Set(groups.flatMap((name) => fields[name]?.column ?? []))];

/** Every field of the report; null for what the results are not grouped by. */
export function groupFields(
  allowed: readonly string[],
  groups: readonly string[],
  fields: Readonly<Record<string, GroupField>>,
  sum: Groups,
): Record<string, unknown> {
  return Object.fromEntries(
    allowed.map((name) => [name, groups.includes(name) ? (fields[name]?.value?.(sum) ?? null) : null]),
  );
}

/** Projects and users are the same accounts: both filters hold. */
function accountFilter(parameters: Parameters): Pick<Filter, 'userIds' | 'tokenIds'> {
  const projects = parameters.ids('project_ids');
  const users = parameters.ids('user_ids');
  const both = projects && users ? users.filter((id) => projects.includes(id)) : (projects ?? users);
  return { userIds: both, tokenIds: parameters.ids('api_key_ids') };
}
