/** The suppliers: named sellers whose buy price several channels share. */
import { ActionIcon, Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SupplierView } from '#contract/money/channel-costs.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { BuyPriceEditor } from '#web/features/channels/form/buy-price-editor.tsx';
import { useBuyPriceText } from '#web/features/channels/list/cost-cells.tsx';
import { CHANNELS_KEY, channelQueries } from '#web/features/channels/queries.ts';
import { Drawer } from '#web/ui/drawer/drawer.tsx';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Field } from '#web/ui/input/field.tsx';
import layout from '#web/ui/input/form.module.css';
import classes from './suppliers.module.css';

/** `id` 0: a new supplier. */
type Edited = Pick<SupplierView, 'id' | 'name' | 'buy_price'>;
type Base = Pick<SupplierView, 'name' | 'buy_price'>;

export function SuppliersDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('channels');
  const { data, error, refetch } = useQuery(channelQueries.suppliers());
  const client = useQueryClient();
  const [edited, setEdited] = useState<Edited>();
  const [base, setBase] = useState<Base>();
  const save = useMutation({
    meta: { silent: true },
    mutationFn: ({ id, ...body }: Edited) =>
      id === 0
        ? api.channelCosts.createSupplier({ body })
        : saveOnBase({
            body: { ...body, based_on: base },
            send: (sent) => api.channelCosts.changeSupplier({ params: { id }, body: sent }),
            labelOf: (field) => t(field === 'name' ? 'form.name' : 'costs.own'),
          }),
    onSuccess: () => {
      toast.success(t('costs.saved'));
      void client.invalidateQueries({ queryKey: CHANNELS_KEY });
      setEdited(undefined);
    },
  });
  const edit = ({ id, name, buy_price }: Edited) => {
    save.reset();
    setBase({ name, buy_price });
    setEdited({ id, name, buy_price });
  };
  const form = edited ? (
    <SupplierFields
      edited={edited}
      error={save.error ? errorMessage(save.error) : undefined}
      isSaving={save.isPending}
      onChange={setEdited}
      onEnd={() => setEdited(undefined)}
    />
  ) : null;
  return (
    // The drawer is the form: a form inside a form would be sent by the browser itself.
    <Drawer
      title={t('costs.title')}
      onClose={onClose}
      onSubmit={() => {
        if (edited && edited.name.trim() !== '' && !save.isPending) save.mutate(edited);
      }}
    >
      {error ? <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} /> : null}
      {!data && !error ? <Loading shape="form" /> : null}
      {data?.length === 0 && edited === undefined ? (
        <p className="note paragraph">{t('costs.empty')}</p>
      ) : null}
      <ul className={classes.list}>
        {data?.map((supplier) => (
          <li key={supplier.id}>
            {edited?.id === supplier.id ? (
              form
            ) : (
              <SupplierLine supplier={supplier} onEdit={() => edit(supplier)} />
            )}
          </li>
        ))}
      </ul>
      {edited?.id === 0 ? (
        form
      ) : (
        <Button variant="light" onClick={() => edit({ id: 0, name: '', buy_price: '' })}>
          {t('costs.add')}
        </Button>
      )}
    </Drawer>
  );
}

function SupplierLine({ supplier, onEdit }: { supplier: SupplierView; onEdit: () => void }) {
  const { t } = useTranslation('channels');
  const client = useQueryClient();
  const textOf = useBuyPriceText();
  const { id, name, channels: count } = supplier;
  const remove = async () => {
    const isSure = await confirm({
      title: t('costs.removeAsk', { name }),
      body: t('costs.removeText', { count }),
      confirmLabel: t('costs.remove', { name }),
      danger: true,
    });
    if (!isSure) return;
    try {
      await api.channelCosts.removeSupplier({ params: { id } });
      toast.success(t('costs.removed'));
    } catch (error) {
      toast.error(errorMessage(error));
    }
    await client.invalidateQueries({ queryKey: CHANNELS_KEY });
  };
  return (
    <div className={`row8 ${classes.line}`}>
      <span className={`stack grow anywhere ${classes.name}`}>
        <b>{name}</b>
        <small>
          {textOf(supplier.buy_price) ?? t('costs.kind.none')} · {t('costs.channels', { count })}
        </small>
      </span>
      <ActionIcon aria-label={t('costs.edit', { name })} onClick={onEdit}>
        <IconPencil size={16} stroke={1.6} />
      </ActionIcon>
      <ActionIcon aria-label={t('costs.remove', { name })} onClick={() => void remove()}>
        <IconTrash size={16} stroke={1.6} />
      </ActionIcon>
    </div>
  );
}

interface SupplierFieldsProps {
  edited: Edited;
  error: string | undefined;
  isSaving: boolean;
  onChange: (edited: Edited) => void;
  onEnd: () => void;
}

function SupplierFields({ edited, error, isSaving, onChange, onEnd }: SupplierFieldsProps) {
  const { t } = useTranslation('channels');
  const { t: common } = useTranslation('ui');
  const nameId = useId();
  const { name, buy_price } = edited;
  return (
    <div className={`stack12 ${layout.stack} ${classes.form}`}>
      <Field label={t('costs.name')} htmlFor={nameId} required error={error}>
        <TextInput
          id={nameId}
          data-autofocus
          maxLength={100}
          value={name}
          error={error !== undefined}
          onChange={(event) => onChange({ ...edited, name: event.currentTarget.value })}
        />
      </Field>
      <BuyPriceEditor
        label={t('costs.kind.label')}
        none={t('costs.kind.none')}
        value={buy_price}
        onChange={(text) => onChange({ ...edited, buy_price: text })}
      />
      <div className="flex8">
        <Button type="submit" loading={isSaving} disabled={name.trim() === ''}>
          {common('action.save')}
        </Button>
        <Button variant="default" onClick={onEnd}>
          {common('action.cancel')}
        </Button>
      </div>
    </div>
  );
}
