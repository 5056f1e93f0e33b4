/** The toolbar of the sheet: search, unpriced models, what the page adds, and the dialog that adds a model. */
import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { IconAlertTriangleFilled, IconPlus, IconSearch } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { ratioOfDollars, relativeRatio } from './dollars.ts';
import { readCell, readDollars, type Billing, type RatioKey } from './ratios.ts';
import classes from './sheet-tools.module.css';

export interface Filter {
  text: string;
  unpriced: boolean;
}

type Numbers = Partial<Record<RatioKey, number>>;

interface SheetToolsProps {
  filter: Filter;
  onFilter: (filter: Filter) => void;
  unpriced: number;
  /** Names already in the sheet. */
  names: ReadonlySet<string>;
  onAdd: (model: string, billing: Billing, numbers: Numbers) => void;
  /** The switch between prices and ratios; undefined where there is none. */
  ratios: { shown: boolean; show: (on: boolean) => void } | undefined;
  /** A new model is asked for its prices, not for its ratios. */
  inDollars: boolean;
  start?: ReactNode;
  end?: ReactNode;
}

export function SheetTools(props: SheetToolsProps) {
  const { filter, onFilter, unpriced, names, onAdd, ratios, inDollars, start, end } = props;
  const { t } = useTranslation('sheet');
  const [adding, setAdding] = useState(false);
  return (
    <div className={`wrap8 fixed ${classes.tools}`}>
      {start}
      <TextInput
        className={classes.search}
        aria-label={t('search')}
        placeholder={t('search')}
        leftSection={<IconSearch size={15} stroke={1.6} />}
        value={filter.text}
        autoComplete="off"
        onChange={(event) => onFilter({ ...filter, text: event.currentTarget.value })}
      />
      {unpriced > 0 || filter.unpriced ? (
        <button
          type="button"
          className={`inline6 size12 ${classes.unpriced}`}
          aria-pressed={filter.unpriced}
          onClick={() => onFilter({ ...filter, unpriced: !filter.unpriced })}
        >
          <IconAlertTriangleFilled size={13} aria-hidden />
          {t('unpriced', { count: unpriced })}
        </button>
      ) : null}
      <span className={`flex8 push-right ${classes.toolsRight}`}>
        {end}
        {ratios ? (
          <SegmentedControl
            aria-label={t('shownAs')}
            value={ratios.shown ? 'ratios' : 'dollars'}
            onChange={(value) => ratios.show(value === 'ratios')}
            data={[
              { value: 'dollars', label: t('asDollars') },
              { value: 'ratios', label: t('asRatios') },
            ]}
          />
        ) : null}
        <Button
          variant="default"
          leftSection={<IconPlus size={14} stroke={1.8} />}
          onClick={() => setAdding(true)}
        >
          {t('add')}
        </Button>
      </span>
      {adding ? (
        <AddModel names={names} onAdd={onAdd} inDollars={inDollars} onClose={() => setAdding(false)} />
      ) : null}
    </div>
  );
}

interface AddModelProps extends Pick<SheetToolsProps, 'names' | 'onAdd' | 'inDollars'> {
  onClose: () => void;
}

/** What a way of billing is priced by. */
const KEYS: Record<Billing, readonly RatioKey[]> = {
  usage: ['ModelRatio', 'CompletionRatio'],
  call: ['ModelPrice'],
  second: ['ModelPrice'],
};
const BILLINGS = Object.keys(KEYS) as Billing[];
const LABELS = { ModelPrice: 'price', ModelRatio: 'ratio', CompletionRatio: 'completion' } as const;
const DOLLAR_LABELS = {
  ModelPrice: 'price',
  ModelRatio: 'inputPerMillion',
  CompletionRatio: 'outputPerMillion',
} as const;

/** What was typed as prices, as the ratios that are stored; an output price needs one of the input. */
function ratiosOf({ ModelRatio: input, CompletionRatio: output, ...rest }: Numbers): Numbers {
  return {
    ...rest,
    ...(input === undefined ? {} : { ModelRatio: ratioOfDollars(input) }),
    ...(input && output !== undefined ? { CompletionRatio: relativeRatio(output, input) } : {}),
  };
}

function AddModel({ names, onAdd, inDollars, onClose }: AddModelProps) {
  const { t } = useTranslation('sheet');
  const readTyped = inDollars ? readDollars : readCell;
  const labels = inDollars ? DOLLAR_LABELS : LABELS;
  const form = useForm({
    begin: () => ({
      name: '',
      billing: 'usage' as Billing,
      ModelPrice: '',
      ModelRatio: '',
      CompletionRatio: '',
    }),
    live: ['ModelPrice', 'ModelRatio', 'CompletionRatio'],
    problemsOf: ({ name, billing, ...typed }) => {
      const bad = KEYS[billing].filter((key) => readTyped(typed[key]) === 'bad');
      const isBare =
        inDollars && billing === 'usage' && typed.CompletionRatio !== '' && !readTyped(typed.ModelRatio);
      const taken = names.has(name.trim()) ? t('exists') : undefined;
      return {
        name: name.trim() === '' ? t('nameRequired') : taken,
        ...(isBare ? { ModelRatio: t('inputFirst') } : {}),
        ...Object.fromEntries(bad.map((key) => [key, t('number')])),
      };
    },
    send: async ({ name, billing, ...typed }) => {
      const read = KEYS[billing].map((key) => [key, readTyped(typed[key])] as const);
      const numbers = Object.fromEntries(read.filter(([, number]) => typeof number === 'number')) as Numbers;
      onAdd(name.trim(), billing, inDollars ? ratiosOf(numbers) : numbers);
    },
    onSent: onClose,
  });
  const { name, billing } = form.values;
  const submit = () => {
    const keys: (keyof typeof form.values)[] = ['name', ...KEYS[billing]];
    const problem = keys.map(form.problemOf).find((each) => each !== undefined);
    if (problem !== undefined) toast.error(problem);
    form.submit();
  };
  return (
    <FormDialog
      title={t('addTitle')}
      submitLabel={t('add')}
      buttons="buttons top8"
      form={{ ...form, submit }}
      onClose={onClose}
    >
      <TextInput
        {...form.field('name')}
        data-autofocus
        label={t('name')}
        autoComplete="off"
        maxLength={255}
        error={names.has(name.trim()) ? t('exists') : form.errorOf('name')}
      />
      <SegmentedControl
        aria-label={t('billing')}
        data={BILLINGS.map((value) => ({ value, label: t(value) }))}
        {...form.choice('billing')}
      />
      {KEYS[billing].map((key) => (
        <TextInput
          key={key}
          {...form.field(key)}
          label={t(labels[key])}
          inputMode="decimal"
          autoComplete="off"
        />
      ))}
    </FormDialog>
  );
}
