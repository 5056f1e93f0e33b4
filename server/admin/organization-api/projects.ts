// Projects in OpenAI's shape, with their users: the members, except those whom the groups of the sign-on keep out. Those groups decide, so
// users of a project are read only.
import { sql, type SqlBool } from 'kysely';
import type { Row } from '#server/platform/store/schema.ts';
import {
  idIn,
  notFound,
  pageOf,
  refuseOthers,
  textIn,
  unsupported,
  type Answering,
  type Asked,
} from './asked.ts';
import { membersOf, nameOf, readMember, roleThere, userId, type Member } from './users.ts';

type Project = Row<'projects'>;

export const projectId = (id: number): string => `proj_${id}`;

const projectsOf = ({ store, organizationId }: Asked) =>
  store.db.selectFrom('projects').selectAll().where('organization_id', '=', organizationId);

const shapeOf = ({ id, name, created_at, archived_at }: Project) => ({
  object: 'organization.project' as const,
  id: projectId(id),
  name,
  created_at,
  archived_at: archived_at > 0 ? archived_at : null,
  status: archived_at > 0 ? 'archived' : 'active',
});

/** Of the path. */
export async function readProject(asked: Asked): Promise<Project> {
  const id = idIn(asked.ids['project'], 'project');
  const row = await projectsOf(asked).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('project');
  return row;
}

export const listProjects: Answering = async (asked) => {
  const isWithArchived = asked.parameters.choice('include_archived', { true: true, false: false }, false);
  return await pageOf(asked, 'project', async (after, limit) => {
    const rows = await projectsOf(asked)
      .$if(after !== undefined, (query) => query.where('id', '>', after ?? 0))
      .$if(!isWithArchived, (query) => query.where('archived_at', '=', 0))
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(shapeOf);
  });
};

export const retrieveProject: Answering = async (asked) => shapeOf(await readProject(asked));

export const createProject: Answering = async (asked) => {
  refuseOthers(asked, ['name']);
  const { id } = await asked.client.projects.create({ body: { name: textIn(asked, 'name') } });
  return shapeOf(await readProject({ ...asked, ids: { project: String(id) } }));
};

export const changeProject: Answering = async (asked) => {
  refuseOthers(asked, ['name']);
  const { id, name } = await readProject(asked);
  const wanted = textIn(asked, 'name').trim();
  if (name !== wanted) await asked.client.projects.change({ params: { id }, body: { name: wanted } });
  return shapeOf(await readProject(asked));
};

/** Its keys are disabled. */
export const archiveProject: Answering = async (asked) => {
  const { id } = await readProject(asked);
  await asked.client.projects.archive({ params: { id } });
  return shapeOf(await readProject(asked));
};

const projectUser = (member: Member) => ({
  object: 'organization.project.user' as const,
  id: userId(member.user_id),
  name: nameOf(member),
  email: member.email === '' ? null : member.email,
  role: roleThere(member.role) === 'owner' ? 'owner' : 'member',
  added_at: member.joined_at,
});

/** Of the members; those without a limit use all projects. */
const usersOf = (asked: Asked, { id }: Project) =>
  membersOf(asked).where(
    sql<SqlBool>`(organization_members.project_ids = ''
      or ',' || organization_members.project_ids || ',' like ${`%,${id},%`})`,
  );

export const listProjectUsers: Answering = async (asked) => {
  const project = await readProject(asked);
  return await pageOf(asked, 'user', async (after, limit) => {
    const rows = await usersOf(asked, project)
      .$if(after !== undefined, (query) => query.where('organization_members.user_id', '>', after ?? 0))
      .orderBy('organization_members.user_id')
      .limit(limit)
      .execute();
    return rows.map(projectUser);
  });
};

export const retrieveProjectUser: Answering = async (asked) => {
  const project = await readProject(asked);
  const { user_id } = await readMember(asked, asked.ids['user']);
  const member = await usersOf(asked, project)
    .where('organization_members.user_id', '=', user_id)
    .executeTakeFirst();
  if (member === undefined) throw notFound('user');
  return projectUser(member);
};

export const refuseProjectUsers: Answering = () =>
  Promise.reject(
    unsupported(
      'Members use every project, or those of their groups at the sign-on: change roles at /v1/organization/users, and groups in the console.',
    ),
  );

/** A project has one limit for all models together. 0 means no limit. */
const limitShape = ({ id, requests_per_minute, tokens_per_minute }: Project) => ({
  object: 'project.rate_limit' as const,
  id: limitId(id),
  model: '*',
  max_requests_per_1_minute: requests_per_minute,
  max_tokens_per_1_minute: tokens_per_minute,
});
const limitId = (id: number): string => `rl-${id}`;

export const listRateLimits: Answering = async (asked) => {
  const project = await readProject(asked);
  return await pageOf(asked, 'rate limit', (after) =>
    Promise.resolve(after === undefined ? [limitShape(project)] : []),
  );
};

const LIMITS = {
  max_requests_per_1_minute: 'requests_per_minute',
  max_tokens_per_1_minute: 'tokens_per_minute',
} as const;

export const changeRateLimit: Answering = async (asked) => {
  refuseOthers(asked, Object.keys(LIMITS));
  const project = await readProject(asked);
  if (asked.ids['limit'] !== limitId(project.id)) throw notFound('rate limit');
  const body = Object.fromEntries(
    Object.entries(LIMITS).flatMap(([name, field]) =>
      asked.body[name] === undefined || asked.body[name] === null ? [] : [[field, asked.body[name]]],
    ),
  ) as { requests_per_minute?: number; tokens_per_minute?: number };
  const isChanged = Object.entries(body).some(([field, value]) => project[field as keyof Project] !== value);
  if (isChanged) await asked.client.projects.change({ params: { id: project.id }, body });
  return limitShape(await readProject(asked));
};
