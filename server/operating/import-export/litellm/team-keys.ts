// Keys of teams and organizations of LiteLLM, and what of its budgets has no place here.
import { bringOrganizationKeys } from '#server/operating/import-export/organizations/keys.ts';
import type { KeyRow } from '#server/operating/import-export/organizations/key-rows.ts';
import type { OrganizationJob, SourceKey } from '#server/operating/import-export/organizations/model.ts';
import { readable } from '#server/operating/import-export/import/job.ts';
import { tokenColumns } from './keys.ts';
import { budgetsOf, leaveModelBudgets } from './team-budgets.ts';
import type { TeamTables } from './team-tables.ts';
import type { TeamPlace } from './teams.ts';

export async function bringTeamKeys(
  job: OrganizationJob,
  placed: readonly { row: KeyRow; place: TeamPlace | undefined }[],
): Promise<void> {
  const keys: SourceKey[] = [];
  for (const { row, place } of placed) {
    if (place === undefined) continue;
    const { fields, hash } = row;
    const name = fields.text('key_alias') || fields.text('key_name') || hash.slice(0, 8);
    const budget = { id: `key ${hash}`, name, row: fields, shared: undefined };
    const budgets = await readable(job, 'tokens', name, () => budgetsOf(job, budget));
    if (budgets === undefined) {
      job.report.count(job.report.found, 'tokens');
      continue;
    }
    leaveModelBudgets(job, name, [fields]);
    keys.push({ row, name, ...place, user: fields.text('user_id'), budgets });
  }
  await bringOrganizationKeys(job, keys, ({ row, name }) => tokenColumns(job, row.fields, name));
}

export function leaveOthers({ report }: OrganizationJob, { endUsers, tags, projects }: TeamTables): void {
  const leave = (kind: 'budgets' | 'projects', reason: string, name: string) => {
    report.count(report.found, kind);
    report.leave(kind, reason, name);
  };
  for (const row of endUsers)
    if (row.text('budget_id') !== '')
      leave(
        'budgets',
        'an end user is no account here: an organization makes a budget of the tag user',
        row.text('user_id'),
      );
  for (const row of tags)
    if (row.text('budget_id') !== '')
      leave(
        'budgets',
        'a tag belongs to an organization here: make a budget of the tag there',
        row.text('tag_name'),
      );
  for (const row of projects)
    leave(
      'projects',
      'a project inside a team has no place here: its keys are keys of the team',
      row.text('project_alias') || row.text('project_id'),
    );
}
