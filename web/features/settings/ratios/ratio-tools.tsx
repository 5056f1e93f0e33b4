/** The toolbar of the sheet: view, search, unpriced models, reset, and the dialog that adds a model. */
import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { IconAlertTriangleFilled, IconPlus, IconRotate, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CancelButton, DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { api } from '#web/api.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { OPTIONS_KEY } from '#web/features/settings/queries.ts';
import { readCell, type Billing, type RatioKey } from './ratios.ts';
import classes from './ratio-tools.module.css';

interface Filter {
  text: string;
  unpriced: boolean;
}

type Numbers = Partial<Record<RatioKey, number>>;

interface RatioToolsProps {
  filter: Filter;
  onFilter: (filter: Filter) => void;
  unpriced: number;
  /** Names already in the sheet. */
  names: ReadonlySet<string>;
  onAdd: (model: string, billing: Billing, numbers: Numbers) => void;
}

export function ViewSwitch({ view }: { view: 'sheet' | 'json' }) {
  const { t } = useTranslation('settings');
  const navigate = useNavigate();
  return (
    <SegmentedControl
      aria-label={t('ratios.view')}
      data={[
        { value: 'sheet', label: t('ratios.visual') },
        { value: 'json', label: t('ratios.json') },
      ]}
      value={view}
      onChange={(value) =>
        void navigate({
          to: '/setting',
          search: { tab: 'operation', section: 'pricing', view: value === 'json' ? 'json' : undefined },
        })
      }
    />
  );
}

export function ResetRatios() {
  const { t } = useTranslation('settings');
  const client = useQueryClient();
  const reset = useMutation({
    mutationFn: () => api.options.resetRatios(),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: OPTIONS_KEY });
      toast.success(t('ratios.resetDone'));
    },
  });
  const ask = async () => {
    const sure = await confirm({
      title: t('ratios.resetTitle'),
      body: t('ratios.resetBody'),
      confirmLabel: t('ratios.reset'),
      danger: true,
    });
    if (sure) reset.mutate();
  };
  return (
    <Button
      variant="subtle"
      leftSection={<IconRotate size={15} stroke={1.6} />}
      loading={reset.isPending}
      onClick={() => void ask()}
    >
      {t('ratios.reset')}
    </Button>
  );
}

export function RatioTools({ filter, onFilter, unpriced, names, onAdd }: RatioToolsProps) {
  const { t } = useTranslation('settings');
  const [adding, setAdding] = useState(false);
  return (
    <div className={classes.tools}>
      <ViewSwitch view="sheet" />
      <TextInput
        className={classes.search}
        aria-label={t('ratios.search')}
        placeholder={t('ratios.search')}
        leftSection={<IconSearch size={15} stroke={1.6} />}
        value={filter.text}
        autoComplete="off"
        onChange={(event) => onFilter({ ...filter, text: event.currentTarget.value })}
      />
      {unpriced > 0 || filter.unpriced ? (
        <button
          type="button"
          className={classes.unpriced}
          aria-pressed={filter.unpriced}
          onClick={() => onFilter({ ...filter, unpriced: !filter.unpriced })}
        >
          <IconAlertTriangleFilled size={13} aria-hidden />
          {t('ratios.unpriced', { count: unpriced })}
        </button>
      ) : null}
      <span className={classes.toolsRight}>
        <ResetRatios />
        <Button
          variant="default"
          leftSection={<IconPlus size={14} stroke={1.8} />}
          onClick={() => setAdding(true)}
        >
          {t('ratios.add')}
        </Button>
      </span>
      {adding ? <AddModel names={names} onAdd={onAdd} onClose={() => setAdding(false)} /> : null}
    </div>
  );
}

interface AddModelProps extends Pick<RatioToolsProps, 'names' | 'onAdd'> {
  onClose: () => void;
}

function AddModel({ names, onAdd, onClose }: AddModelProps) {
  const { t } = useTranslation('settings');
  const [name, setName] = useState('');
  const [billing, setBilling] = useState<Billing>('usage');
  const [typed, setTyped] = useState<Partial<Record<RatioKey, string>>>({});
  const [tried, setTried] = useState(false);
  const model = name.trim();
  const keys: RatioKey[] = billing === 'call' ? ['ModelPrice'] : ['ModelRatio', 'CompletionRatio'];
  const labels = {
    ModelPrice: t('ratios.price'),
    ModelRatio: t('ratios.ratio'),
    CompletionRatio: t('ratios.completion'),
  };
  const nameError =
    model === '' ? t('ratios.nameRequired') : names.has(model) ? t('ratios.exists') : undefined;
  const bad = (key: RatioKey) => readCell(typed[key] ?? '') === 'bad';
  const submit = () => {
    setTried(true);
    if (nameError || keys.some(bad)) {
      toast.error(nameError ?? t('ratios.number'));
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
    <DialogFrame title={t('ratios.addTitle')} onClose={onClose}>
      <form
        className={classes.addForm}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextInput
          data-autofocus
          label={t('ratios.name')}
          value={name}
          autoComplete="off"
          maxLength={255}
          error={tried || names.has(model) ? nameError : undefined}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <SegmentedControl
          aria-label={t('ratios.billing')}
          data={[
            { value: 'usage', label: t('ratios.usage') },
            { value: 'call', label: t('ratios.call') },
          ]}
          value={billing}
          onChange={(value) => setBilling(value === 'call' ? 'call' : 'usage')}
        />
        {keys.map((key) => (
          <TextInput
            key={key}
            label={labels[key]}
            inputMode="decimal"
            autoComplete="off"
            value={typed[key] ?? ''}
            error={bad(key) ? t('ratios.number') : undefined}
            onChange={(event) => {
              const text = event.currentTarget.value;
              setTyped((before) => ({ ...before, [key]: text }));
            }}
          />
        ))}
        <div className={classes.addActions}>
          <CancelButton />
          <Button type="submit">{t('ratios.add')}</Button>
        </div>
      </form>
    </DialogFrame>
  );
}
