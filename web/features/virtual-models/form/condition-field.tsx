/** One condition with the control that suits it. */
import { MultiSelect, NumberInput, SegmentedControl, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ConditionName } from '#contract/relay/virtual-reasons.ts';
import { virtualModelQueries } from '#web/features/virtual-models/queries.ts';
import { useRuleWords, type WhenDraft } from '#web/features/virtual-models/rule-words.ts';
import { EFFORTS } from '#web/features/virtual-models/try-out/request.ts';
import { withCondition } from './conditions.ts';
import classes from './form.module.css';

interface ConditionFieldProps {
  name: ConditionName;
  when: WhenDraft;
  isWrong: boolean;
  onChange: (when: WhenDraft) => void;
}

type PartProps<Name extends ConditionName> = Omit<ConditionFieldProps, 'name'> & { name: Name };

export function ConditionField({ name, ...props }: ConditionFieldProps) {
  const { t } = useTranslation('virtual-models');
  return (
    <div className={classes.condition} role="group" aria-label={t(`condition.${name}`)}>
      <span className="small">{t(`condition.${name}`)}</span>
      <Control name={name} {...props} />
    </div>
  );
}

function Control({ name, ...props }: ConditionFieldProps) {
  switch (name) {
    case 'prompt_at_least':
    case 'prompt_at_most':
    case 'share_percent':
    case 'budget_below':
    case 'max_cost':
      return <Amount name={name} {...props} />;
    case 'pictures':
    case 'files':
    case 'tools':
    case 'structured_output':
      return <Trait name={name} {...props} />;
    case 'reasoning_efforts':
      return <Efforts name={name} {...props} />;
    case 'groups':
      return <Groups name={name} {...props} />;
    case 'header':
    case 'tag':
      return <Named name={name} {...props} />;
    case 'hours':
      return <Hours name={name} {...props} />;
    default:
      // `fits_context` has nothing to choose.
      return <Always />;
  }
}

function Always() {
  const { t } = useTranslation('virtual-models');
  return <span className="note">{t('form.always')}</span>;
}

type NumberName = 'prompt_at_least' | 'prompt_at_most' | 'share_percent' | 'budget_below' | 'max_cost';

function Amount({ name, when, isWrong, onChange }: PartProps<NumberName>) {
  const { t } = useTranslation('virtual-models');
  const isTokens = name === 'prompt_at_least' || name === 'prompt_at_most';
  return (
    <NumberInput
      className={classes.number}
      aria-label={t(`condition.${name}`)}
      value={when[name] ?? ''}
      allowDecimal={!isTokens}
      allowNegative={false}
      thousandSeparator={isTokens ? ',' : undefined}
      error={isWrong}
      onChange={(value) => onChange(withCondition(when, name, value === '' ? null : Number(value)))}
    />
  );
}

type TraitName = 'pictures' | 'files' | 'tools' | 'structured_output';

function Trait({ name, when, onChange }: PartProps<TraitName>) {
  const { t } = useTranslation('virtual-models');
  return (
    <SegmentedControl
      size="xs"
      aria-label={t(`condition.${name}`)}
      value={when[name] === false ? 'none' : 'some'}
      data={[
        { value: 'some', label: t('form.has') },
        { value: 'none', label: t('form.hasNone') },
      ]}
      onChange={(value) => onChange(withCondition(when, name, value === 'some'))}
    />
  );
}

function Efforts({ when, isWrong, onChange }: PartProps<'reasoning_efforts'>) {
  const { t } = useTranslation('virtual-models');
  return (
    <TagsInput
      className="grow"
      aria-label={t('condition.reasoning_efforts')}
      value={when.reasoning_efforts ?? []}
      data={EFFORTS}
      error={isWrong}
      onChange={(values) => onChange(withCondition(when, 'reasoning_efforts', values))}
    />
  );
}

function Groups({ when, isWrong, onChange }: PartProps<'groups'>) {
  const { t } = useTranslation('virtual-models');
  const groups = useQuery(virtualModelQueries.groups()).data ?? [];
  const chosen = when.groups ?? [];
  return (
    <MultiSelect
      className="grow"
      aria-label={t('condition.groups')}
      value={chosen}
      data={[...new Set([...groups, ...chosen])]}
      error={isWrong}
      onChange={(values) => onChange(withCondition(when, 'groups', values))}
    />
  );
}

/** A header or a tag: its name, and the values of which it must have one. */
function Named({ name, when, isWrong, onChange }: PartProps<'header' | 'tag'>) {
  const { t } = useTranslation('virtual-models');
  const values = when[name]?.values ?? [];
  const word = name === 'header' ? (when.header?.name ?? '') : (when.tag?.key ?? '');
  const set = (key: string, chosen: readonly string[]) => {
    const given = chosen.length === 0 ? {} : { values: [...chosen] };
    onChange(
      name === 'header'
        ? withCondition(when, 'header', { name: key, ...given })
        : withCondition(when, 'tag', { key, ...given }),
    );
  };
  return (
    <div className={`flow6 grow ${classes.named}`}>
      <TextInput
        aria-label={t(name === 'header' ? 'form.headerName' : 'form.tagKey')}
        placeholder={name === 'header' ? 'x-tier' : 'team'}
        value={word}
        maxLength={64}
        spellCheck={false}
        autoComplete="off"
        error={isWrong}
        onChange={(event) => set(event.currentTarget.value, values)}
      />
      <TagsInput
        aria-label={t('form.values')}
        placeholder={values.length === 0 ? t('form.valuesAny') : undefined}
        value={values}
        onChange={(chosen) => set(word, chosen)}
      />
    </div>
  );
}

const DAYS = [1, 2, 3, 4, 5, 6, 7];

function Hours({ when, isWrong, onChange }: PartProps<'hours'>) {
  const { t } = useTranslation('virtual-models');
  const { dayName } = useRuleWords();
  const { from = '', to = '', days = [] } = when.hours ?? {};
  const set = (next: { from: string; to: string; days: number[] }) => {
    const { days: chosen, ...span } = next;
    onChange(withCondition(when, 'hours', chosen.length === 0 ? span : { ...span, days: chosen }));
  };
  return (
    <div className={`flow6 grow ${classes.named}`}>
      <TextInput
        type="time"
        aria-label={t('form.from')}
        value={from}
        error={isWrong}
        onChange={(event) => set({ from: event.currentTarget.value, to, days })}
      />
      <TextInput
        type="time"
        aria-label={t('form.to')}
        value={to}
        error={isWrong}
        onChange={(event) => set({ from, to: event.currentTarget.value, days })}
      />
      <MultiSelect
        aria-label={t('form.days')}
        placeholder={days.length === 0 ? t('form.everyDay') : undefined}
        value={days.map(String)}
        data={DAYS.map((day) => ({ value: String(day), label: dayName(day) }))}
        onChange={(chosen) => set({ from, to, days: chosen.map(Number).toSorted((a, b) => a - b) })}
      />
    </div>
  );
}
