/** The state of the sheet of budgets: what is typed, its draft, its problems, and the one save of all rows. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BudgetView } from '#contract/admin/organization-budgets.ts';
import { api } from '#web/api.ts';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { useLeaveGuard } from '#web/ui/drawer/use-leave-guard.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { readDraft } from '#web/ui/input/draft.ts';
import { useUnsaved } from '#web/ui/input/unsaved.ts';
import { BUDGETS_KEY, budgetQueries } from './queries.ts';
import {
  bodyOf,
  changeCount,
  NO_CHANGES,
  problemsOf,
  rebased,
  rowOfField,
  withNewLine,
  type Problem,
  type Sheet,
} from './sheet.ts';

const DRAFT = { name: 'budgets' } as const;

export interface SheetState {
  sheet: Sheet;
  edit: (change: (sheet: Sheet) => Sheet) => void;
  add: () => void;
  discard: () => void;
  save: () => void;
  isSaving: boolean;
  /** How many rows differ. */
  count: number;
  /** By row: shown once the reader has tried to save. */
  problems: ReadonlyMap<string, Problem>;
  /** What the server refused, and at which row. */
  refused: { message: string; row: string | undefined } | undefined;
}

export function useSheet(views: readonly BudgetView[]): SheetState {
  const { t } = useTranslation('organizations');
  const client = useQueryClient();
  const [sheet, setSheet] = useState<Sheet>(() => ({ ...NO_CHANGES, ...readDraft(DRAFT, NO_CHANGES) }));
  const [hasTried, setHasTried] = useState(false);
  const [refused, setRefused] = useState<SheetState['refused']>();
  const unsaved = useUnsaved(sheet, { initial: NO_CHANGES, base: NO_CHANGES, unguarded: ['bases'] }, DRAFT);
  useLeaveGuard(unsaved);
  const saving = useMutation({
    mutationFn: async (sent: Sheet) => await api.budgets.save({ body: bodyOf(sent) }),
    meta: { silent: true },
    onSuccess: (saved, sent) => {
      client.setQueryData(budgetQueries.list().queryKey, saved);
      // What was typed while it was sent stays.
      setSheet((now) => (now === sent ? NO_CHANGES : rebased(now, saved)));
      setHasTried(false);
      toast.success(t('budgets.saved'));
    },
    onError: async (error, sent) => {
      const field = error instanceof ApiError ? (error.fields[0]?.field ?? '') : '';
      setRefused({ message: errorMessage(error), row: rowOfField(field, bodyOf(sent), sent) });
      const isStale =
        error instanceof ApiError && ['changed_meanwhile', 'not_found'].includes(error.code ?? '');
      if (!isStale) return;
      const now = await client.fetchQuery({ ...budgetQueries.list(), staleTime: 0 });
      setSheet((typed) => rebased(typed, now));
    },
    onSettled: () => client.invalidateQueries({ queryKey: BUDGETS_KEY }),
  });
  const problems = problemsOf(sheet, views);
  const edit = (change: (sheet: Sheet) => Sheet) => {
    setRefused(undefined);
    setSheet(change);
  };
  return {
    sheet,
    edit,
    add: () => edit(withNewLine),
    discard: () => {
      setHasTried(false);
      edit(() => NO_CHANGES);
    },
    save: () => {
      setRefused(undefined);
      setHasTried(true);
      const [first] = problems.values();
      if (first !== undefined) toast.error(t(`budgets.problem.${first}`));
      else saving.mutate(sheet);
    },
    isSaving: saving.isPending,
    count: changeCount(sheet),
    problems: hasTried ? problems : new Map<string, Problem>(),
    refused,
  };
}
