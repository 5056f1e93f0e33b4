// A budget as audit rows show it.
import type { Row } from '#server/platform/store/schema.ts';

type Budget = Row<'budgets'>;

export const changeableOf = ({ name, quota, is_hard, models }: Budget) => ({
  name,
  quota,
  is_hard: is_hard === 1,
  models,
});

export const auditedBudget = (row: Budget) => ({
  ...changeableOf(row),
  subject: row.subject,
  subject_id: row.subject_id,
  tag_key: row.tag_key,
  tag_value: row.tag_value,
  period: row.period,
});
