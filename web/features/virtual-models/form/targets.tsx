/** The targets in order, as a ruled sheet: rows are moved, duplicated, removed and opened for their rules. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { virtualModelQueries } from '#web/features/virtual-models/queries.ts';
import { announce } from '#web/ui/feedback/announce.ts';
import type { Form } from '#web/ui/input/use-form.ts';
import { problemsWithin, targetProblems } from './problems.ts';
import { TargetRow } from './target-row.tsx';
import { useOrder } from './use-order.ts';
import { blankTarget, moved, nextKey, type TargetDraft, type VirtualModelValues } from './values.ts';
import classes from './form.module.css';

/** Of the contract. */
const MOST_TARGETS = 20;

export function Targets({ form }: { form: Form<VirtualModelValues> }) {
  const { t } = useTranslation('virtual-models');
  const models = useQuery(virtualModelQueries.models()).data;
  const { targets } = form.values;
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const set = (next: TargetDraft[]) => form.set('targets', next);
  const toggle = (key: number, isOpen: boolean) =>
    setOpen((before) => new Set(isOpen ? [...before, key] : [...before].filter((each) => each !== key)));
  const move = (from: number, to: number) => {
    set(moved(targets, from, to));
    announce(t('form.target.moved', { from: from + 1, to: to + 1 }));
  };
  const handleOf = useOrder({ count: targets.length, onMove: move });
  const sentence = form.errorOf('targets');
  const problems =
    sentence === undefined ? new Map<string, string>() : targetProblems(form.refusal.refused.errors);
  // A sentence about one target stands at that target.
  const isOfAll = sentence !== undefined && (problems.size === 0 || problems.has(''));
  return (
    <div>
      <ol className={classes.targets} data-ordered>
        {targets.map((target, index) => (
          <TargetRow
            key={target.key}
            target={target}
            place={index + 1}
            isLast={index === targets.length - 1}
            isOpen={open.has(target.key)}
            models={models}
            problems={problemsWithin(problems, String(index))}
            handle={handleOf(index)}
            onToggle={(isOpen) => toggle(target.key, isOpen)}
            onMove={(to) => move(index, to)}
            onChange={(change) => set(targets.with(index, { ...target, ...change }))}
            onDuplicate={() =>
              set(targets.toSpliced(index + 1, 0, { ...structuredClone(target), key: nextKey(targets) }))
            }
            onRemove={targets.length === 1 ? undefined : () => set(targets.toSpliced(index, 1))}
          />
        ))}
      </ol>
      {isOfAll ? (
        <p className="top4 small danger" data-field-error>
          {sentence}
        </p>
      ) : null}
      <Button
        className={classes.add}
        variant="default"
        size="compact-sm"
        leftSection={<IconPlus size={14} stroke={1.6} />}
        disabled={targets.length >= MOST_TARGETS}
        onClick={() => set([...targets, blankTarget(targets)])}
      >
        {t('form.addTarget')}
      </Button>
    </div>
  );
}
