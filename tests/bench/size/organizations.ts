// A thousand organizations of a hundred members, with projects, service accounts, keys, budgets, invitations and ninety days
// of calls; and the questions that their pages ask. A few organizations make most of the calls.
import type { Filling } from './fill.ts';
import { DAYS, FIRST_USER, MODELS } from './pages-seed.ts';

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;
export const ORGANIZATIONS = 1000;
const MEMBERS = 100;
const PROJECTS = 10;
const ACCOUNTS = 5;
const BUDGETS = 20;
const INVITATIONS = 20;
const TEAMS = 25;
/** The first one makes most of the calls. */
export const FIRST_ORGANIZATION = 10_000;
/** Member `i` of organization `o` is `FIRST_MEMBER + o * 100 + i`; the first one owns it. */
export const FIRST_MEMBER = 200_000;
const FIRST_KEY = 1_000_000;
/** Of how many the customer of the other pages is a member: the longest switcher. */
const OF_ONE_PERSON = 50;
const BALANCE = 500_000_000;
const ROWS_PER_INSERT = 1_000_000;

/** After the site: its channels and models are used. */
export async function seedOrganizations(filling: Filling, rows: number, now: number): Promise<void> {
  const { run, numbers } = filling;
  const begun = now - DAYS * DAY_SECONDS;
  const people = ORGANIZATIONS * MEMBERS;
  const each = (count: number) => numbers(0, ORGANIZATIONS * count - 1);
  /** Of row `i` among so many of each organization. */
  const of = (count: number) => `${FIRST_ORGANIZATION} + i / ${count}`;
  const first = (count: number) => `(i / ${count}) * ${count}`;
  await run(`insert into users (id, username, display_name, email, aff_code)
    ${numbers(0, people - 1)} select ${FIRST_MEMBER} + i, 'member' || i, 'Member ' || i, 'member' || i || '@example.com',
      'member' || i from n`);
  await run(`insert into users (id, username, aff_code, quota, "group", kind)
    ${each(1)} select ${FIRST_ORGANIZATION} + i, '@organization-' || i, 'organization' || i, ${BALANCE}, 'default',
      'organization' from n`);
  await run(`insert into ledger (idem, created_at, user_id, debit_account, credit_account, amount, kind, reference)
    ${each(1)} select 'organization:' || i, ${begun}, ${FIRST_ORGANIZATION} + i, 'world:admin',
      'user:' || (${FIRST_ORGANIZATION} + i), ${BALANCE}, 'admin', 'seed' from n`);
  await run(`insert into organizations (id, name, created_at, created_by, company_name, tag_keys)
    ${each(1)} select ${FIRST_ORGANIZATION} + i, 'Organization ' || i, ${begun} + i, ${FIRST_MEMBER} + i * ${MEMBERS},
      'Company ' || i, 'team,env' from n`);
  await run(`insert into organization_members (organization_id, user_id, role, joined_at)
    ${each(MEMBERS)} select ${of(MEMBERS)}, ${FIRST_MEMBER} + i, case i % ${MEMBERS} when 0 then 'owner' when 1 then 'admin'
      when 2 then 'billing' when 3 then 'viewer' else 'member' end, ${begun} + i % ${MEMBERS} from n`);
  await run(`insert into organization_members (organization_id, user_id, role, joined_at)
    ${numbers(0, OF_ONE_PERSON - 1)} select ${FIRST_ORGANIZATION} + i, ${FIRST_USER}, 'member', ${begun} from n`);
  await run(`insert into projects (id, organization_id, name, is_default, created_at)
    ${each(PROJECTS)} select 1 + i, ${of(PROJECTS)}, 'project ' || (i % ${PROJECTS}),
      case when i % ${PROJECTS} = 0 then 1 else 0 end, ${begun} from n`);
  await run(`insert into service_accounts (id, organization_id, project_id, name, created_by, created_at)
    ${each(ACCOUNTS)} select 1 + i, ${of(ACCOUNTS)}, 1 + (i / ${ACCOUNTS}) * ${PROJECTS}, 'robot ' || i,
      ${FIRST_MEMBER} + ${first(ACCOUNTS)} / ${ACCOUNTS} * ${MEMBERS}, ${begun} from n`);
  // A key for each member, in one of the projects.
  await run(`insert into tokens (id, user_id, name, key_digest, unlimited_quota, accessed_time, member_id, project_id)
    ${each(MEMBERS)} select ${FIRST_KEY} + i, ${of(MEMBERS)}, 'key ' || i, 'organization' || i, 1, ${now} - i % 1000,
      ${FIRST_MEMBER} + i, 1 + (i / ${MEMBERS}) * ${PROJECTS} + i % ${PROJECTS} from n`);
  await run(`insert into budgets (id, organization_id, name, subject, subject_id, period, quota, created_at, created_by)
    ${each(BUDGETS)} select 1 + i, ${of(BUDGETS)}, 'budget ' || i, 'member',
      ${FIRST_MEMBER} + (i / ${BUDGETS}) * ${MEMBERS} + i % ${BUDGETS}, 'total', 100000000, ${begun}, 1 from n`);
  await run(`insert into budget_counters (id, budget_id, organization_id, name, period, quota, spent, window_start, window_end,
      created_at)
    ${each(BUDGETS)} select 1 + i, 1 + i, ${of(BUDGETS)}, 'budget ' || i, 'total', 100000000, 40000000 + i, 0,
      ${Number.MAX_SAFE_INTEGER}, ${begun} from n`);
  await run(`insert into budget_requests (organization_id, budget_id, counter_id, asked_by, created_at, amount, status)
    ${each(BUDGETS)} select ${of(BUDGETS)}, 1 + i, 1 + i, ${FIRST_MEMBER} + (i / ${BUDGETS}) * ${MEMBERS} + i % ${BUDGETS},
      ${now} - i % 1000, 500000, case when i % 4 = 0 then 'open' else 'granted' end from n`);
  await run(`insert into organization_invitations (organization_id, email, role, invited_by, created_at, expires_at, status)
    ${each(INVITATIONS)} select ${of(INVITATIONS)}, 'guest' || i || '@example.com', 'member',
      ${FIRST_MEMBER} + (i / ${INVITATIONS}) * ${MEMBERS}, ${now} - 3600, ${now} + 86400,
      case when i % 2 = 0 then 'open' else 'accepted' end from n`);
  await seedCalls(filling, rows, now);
}

async function seedCalls({ run, numbers, whole, padded }: Filling, rows: number, now: number): Promise<void> {
  const begun = now - DAYS * DAY_SECONDS;
  const time = `${begun} + i * ${DAYS * DAY_SECONDS} / ${rows}`;
  const chance = '(((i * 7919 + 13) % 10007) / 10007.0)';
  for (let from = 0; from < rows; from += ROWS_PER_INSERT) {
    const range = numbers(from, Math.min(from + ROWS_PER_INSERT, rows) - 1);
    await run(`insert into logs (request_id, created_at, type, user_id, username, token_id, channel_id, model_name, "group",
        quota, prompt_tokens, completion_tokens, use_time, other, member_id, project_id, tags)
      ${range}, drawn(i, at, o, m) as (select i, ${time}, ${whole(`${ORGANIZATIONS} * ${chance} * ${chance} * ${chance}`)},
        (i * 31 + i / 97) % ${MEMBERS} from n)
      select 'organization-' || ${padded}, drawn.at, 2, ${FIRST_ORGANIZATION} + o, '@organization-' || o,
        ${FIRST_KEY} + o * ${MEMBERS} + m, 1 + i % 20, name, 'default', 100 + i % 1000, 100, 200, 2,
        '{"frt":400,"use_ms":2400,"path":"/v1/chat/completions"}', ${FIRST_MEMBER} + o * ${MEMBERS} + m,
        1 + o * ${PROJECTS} + m % ${PROJECTS}, '{"team":"team-' || (m % ${TEAMS}) || '"}'
      from drawn join bench_models on bench_models.at = (o * 7 + m % 5) % ${MODELS}`);
  }
  const hour = `created_at - created_at % ${HOUR_SECONDS}`;
  const sums = 'count(*), sum(quota), sum(prompt_tokens), sum(completion_tokens)';
  const own = `from logs where user_id >= ${FIRST_ORGANIZATION} and user_id < ${FIRST_ORGANIZATION + ORGANIZATIONS}`;
  await run(`insert into usage_hours (hour, user_id, token_id, channel_id, model_name, count, quota, prompt_tokens,
      completion_tokens, use_time_ms, first_token_ms)
    select ${hour}, user_id, token_id, channel_id, model_name, ${sums}, 2400 * count(*), 400 * count(*) ${own}
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`);
  for (const [key, value] of [
    ["''", "''"],
    ["'team'", `'team-' || ((member_id - ${FIRST_MEMBER}) % ${MEMBERS} % ${TEAMS})`],
  ])
    await run(`insert into holder_hours (user_id, tag_key, hour, tag_value, member_id, project_id, token_id, model_name,
        count, quota, prompt_tokens, completion_tokens)
      select user_id, ${key}, ${hour}, ${value}, member_id, project_id, token_id, model_name, ${sums} ${own}
      group by 1, 3, 4, 5, 6, 7, 8 order by 1, 3, 4, 5, 6, 7, 8`);
  await run(
    `update usage_positions set position = (select coalesce(max(id), 0) from logs) where name in ('cells', 'holder_cells', 'measured')`,
  );
}

export interface OrganizationQuestion {
  what: string;
  path: string;
  as: string;
  organization?: number;
}

/** `owner`: of the organization with the most calls; `operator`: of the site; `person`: a member of many. */
export function organizationQuestions(
  { owner, operator, person }: Record<'owner' | 'operator' | 'person', string>,
  now: number,
): OrganizationQuestion[] {
  const to = Math.ceil(now / HOUR_SECONDS) * HOUR_SECONDS;
  const span = (days: number) => `start_timestamp=${to - days * DAY_SECONDS}&end_timestamp=${to}`;
  const inside = (what: string, path: string): OrganizationQuestion => ({
    what: `organization: ${what}`,
    path,
    as: owner,
    organization: FIRST_ORGANIZATION,
  });
  const month = new Date(now * 1000).toISOString().slice(0, 7);
  return [
    { what: 'organizations, of the site', path: '/api/organization/', as: operator },
    { what: 'organizations by members', path: '/api/organization/?sort=members', as: operator },
    { what: 'organizations by a word', path: '/api/organization/?keyword=zation%2077', as: operator },
    { what: 'an organization, of the site', path: `/api/organization/${FIRST_ORGANIZATION}`, as: operator },
    { what: 'switcher of a member of fifty', path: '/api/organization/mine', as: person },
    {
      what: 'switch, of a member of fifty',
      path: '/api/organization/current',
      as: person,
      organization: FIRST_ORGANIZATION + 7,
    },
    inside('head', '/api/organization/current'),
    inside('balance', '/api/user/wallet'),
    inside('what needs it', '/api/attention'),
    inside('members', '/api/organization/members?page_size=100'),
    inside('members by a word', '/api/organization/members?keyword=er%201'),
    inside('invitations', '/api/organization/invitations?page_size=50'),
    inside('projects', '/api/organization/projects'),
    inside('service accounts', '/api/organization/service_accounts'),
    inside('keys', '/api/token/?size=50'),
    inside('budgets', '/api/organization/budgets'),
    inside('requests for budget', '/api/organization/budget_requests'),
    inside('audit', '/api/organization/audit?page_size=50'),
    inside('usage of 30 days', `/api/data/self?${span(30)}`),
    ...['member', 'project', 'model', 'token'].map((by) =>
      inside(`usage of 30 days by ${by}`, `/api/data/self/groups?${span(30)}&by=${by}`),
    ),
    inside('usage of 30 days by tag', `/api/data/self/groups?${span(30)}&by=tag&tag=team`),
    inside('top spenders of 30 days', `/api/data/self/holders?${span(30)}`),
    inside('log', '/api/log/self?page_size=50'),
    inside('log of a member', `/api/log/self?page_size=50&member_id=${FIRST_MEMBER + 7}`),
    inside('log of a project', '/api/log/self?page_size=50&project_id=3'),
    inside('statement', `/api/user/statement?month=${month}`),
  ];
}
