/** The toolbar of the sheet: search, unpriced models, what the page adds, and the dialog that adds a model. */
import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { IconAlertTriangleFilled, IconPlus, IconSearch } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CancelButton, DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { readCell, type Billing, type RatioKey } from './ratios.ts';
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
  start?: ReactNode;
  end?: ReactNode;
}

export function SheetTools({ filter, onFilter, unpriced, names, onAdd, start, end }: SheetToolsProps) {
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
        <Button
          variant="default"
          leftSection={<IconPlus size={14} stroke={1.8} />}
          onClick={() => setAdding(true)}
        >
          {t('add')}
        </Button>
      </span>
      {adding ? <AddModel names={names} onAdd={onAdd} onClose={() => setAdding(false)} /> : null}
    </div>
  );
}

interface AddModelProps extends Pick<SheetToolsProps, 'names' | 'onAdd'> {
  onClose: () => void;
}

function AddModel({ names, onAdd, onClose }: AddModelProps) {
  const { t } = useTranslation('sheet');
  const [name, setName] = useState('');
  const [billing, setBilling] = useState<Billing>('usage');
  const [typed, setTyped] = useState<Partial<Record<RatioKey, string>>>({});
  const [tried, setTried] = useState(false);
  const model = name.trim();
  const keys: RatioKey[] = billing === 'usage' ? ['ModelRatio', 'CompletionRatio'] : ['ModelPrice'];
  const labels = {
    ModelPrice: t('price'),
    ModelRatio: t('ratio'),
    CompletionRatio: t('completion'),
  };
  const nameError = model === '' ? t('nameRequired') : names.has(model) ? t('exists') : undefined;
  const bad = (key: RatioKey) => readCell(typed[key] ?? '') === 'bad';
  const submit = () => {
    setTried(true);
    if (nameError || keys.some(bad)) {
      toast.error(nameError ?? t('number'));
      return;
    }
    const numbers: Numbers = {};
    for (const key of keys) {
      const read = readCell(typed[key] ?? '');
      if (typeof read === 'number') numbers[key] = read;
    }
    onAdd(model, billing, numbers);
    onClose();
  };
  return (
    <DialogFrame title={t('addTitle')} onClose={onClose}>
      <form
        className="stack12"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextInput
          data-autofocus
          label={t('name')}
          value={name}
          autoComplete="off"
          maxLength={255}
          error={tried || names.has(model) ? nameError : undefined}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <SegmentedControl
          aria-label={t('billing')}
          data={[
            { value: 'usage', label: t('usage') },
            { value: 'call', label: t('call') },
            { value: 'second', label: t('second') },
          ]}
          value={billing}
          onChange={(value) => setBilling(value === 'call' || value === 'second' ? value : 'usage')}
        />
        {keys.map((key) => (
          <TextInput
            key={key}
            label={labels[key]}
            inputMode="decimal"
            autoComplete="off"
            value={typed[key] ?? ''}
            error={bad(key) ? t('number') : undefined}
            onChange={(event) => {
              const text = event.currentTarget.value;
              setTyped((before) => ({ ...before, [key]: text }));
            }}
          />
        ))}
        <div className="buttons top8">
          <CancelButton />
          <Button type="submit">{t('add')}</Button>
        </div>
      </form>
    </DialogFrame>
  );
}
