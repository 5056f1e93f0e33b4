/** The rules of a target: conditions that must all hold, the failures after which the next one is tried, and its time. */
import { ActionIcon, Checkbox, NumberInput, Select } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { CONDITION_NAMES, FALLBACK_KINDS, type ConditionName } from '#contract/relay/virtual-reasons.ts';
import { useRuleWords } from '#web/features/virtual-models/rule-words.ts';
import { Field } from '#web/ui/input/field.tsx';
import { ConditionField } from './condition-field.tsx';
import { newCondition, withCondition } from './conditions.ts';
import { problemsWithin } from './problems.ts';
import type { TargetDraft } from './values.ts';
import classes from './form.module.css';

interface TargetRulesProps {
  target: TargetDraft;
  problems: ReadonlyMap<string, string>;
  onChange: (change: Partial<TargetDraft>) => void;
}

export function TargetRules({ target, problems, onChange }: TargetRulesProps) {
  const { t } = useTranslation('virtual-models');
  const words = useRuleWords();
  const secondsId = useId();
  const { when, fall_back_on, first_token_seconds } = target;
  const given = (Object.keys(when) as ConditionName[]).filter((name) => when[name] !== undefined);
  const open = CONDITION_NAMES.filter((name) => !given.includes(name));
  const inWhen = problemsWithin(problems, 'when');
  const problemOf = (name: ConditionName) =>
    [...inWhen].find(([at]) => at === name || at.startsWith(`${name}.`))?.[1];
  return (
    <div className={`stack12 ${classes.rules}`}>
      <Field label={t('form.conditions')}>
        <ul className={classes.conditions}>
          {given.map((name) => (
            <li key={name} data-field-error={problemOf(name) ? true : undefined}>
              <ConditionField
                name={name}
                when={when}
                isWrong={problemOf(name) !== undefined}
                onChange={(next) => onChange({ when: next })}
              />
              <ActionIcon
                size={24}
                aria-label={t('form.removeCondition', { name: t(`condition.${name}`) })}
                onClick={() => onChange({ when: withCondition(when, name, undefined) })}
              >
                <IconX size={14} stroke={1.6} />
              </ActionIcon>
              {problemOf(name) ? <p className="small danger">{problemOf(name)}</p> : null}
            </li>
          ))}
        </ul>
        {open.length === 0 ? null : (
          <Select
            aria-label={t('form.addCondition')}
            placeholder={t('form.addCondition')}
            value={null}
            data={open.map((value) => ({ value, label: t(`condition.${value}`) }))}
            searchable
            onChange={(chosen) => {
              const name = open.find((each) => each === chosen);
              if (name !== undefined) onChange({ when: withCondition(when, name, newCondition(name)) });
            }}
          />
        )}
      </Field>
      <fieldset className={classes.kinds}>
        <legend>{t('form.fallBack')}</legend>
        <div className="flow8">
          {FALLBACK_KINDS.map((kind) => (
            <Checkbox
              key={kind}
              label={words.reason(kind)}
              checked={fall_back_on.includes(kind)}
              onChange={(event) => {
                const isOn = event.currentTarget.checked;
                onChange({
                  fall_back_on: FALLBACK_KINDS.filter((each) =>
                    each === kind ? isOn : fall_back_on.includes(each),
                  ),
                });
              }}
            />
          ))}
        </div>
      </fieldset>
      <Field
        label={t('form.seconds')}
        htmlFor={secondsId}
        hint={t('form.secondsHint')}
        error={problems.get('first_token_seconds')}
      >
        <NumberInput
          id={secondsId}
          className={classes.number}
          value={first_token_seconds ?? ''}
          allowDecimal={false}
          allowNegative={false}
          error={problems.has('first_token_seconds')}
          onChange={(value) => onChange({ first_token_seconds: value === '' ? null : Number(value) })}
        />
      </Field>
    </div>
  );
}
