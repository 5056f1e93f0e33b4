/** What the channel's upstream charges the operator: its supplier, and a buy price of its own. */
import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { channelQueries } from '#web/features/channels/queries.ts';
import { Field } from '#web/ui/input/field.tsx';
import layout from '#web/ui/input/form.module.css';
import { BuyPriceEditor } from './buy-price-editor.tsx';
import type { ChannelForm } from './use-channel-form.ts';

export function Costs({ form }: { form: ChannelForm }) {
  const { t } = useTranslation('channels');
  const id = useId();
  const { data: suppliers = [] } = useQuery(channelQueries.suppliers());
  const { supplier_id } = form.values;
  return (
    <div className={`stack12 ${layout.stack}`}>
      <Field label={t('costs.supplier')} htmlFor={id} error={form.errorOf('supplier_id')} fact={<Manage />}>
        <Select
          id={id}
          allowDeselect={false}
          searchable={suppliers.length > 10}
          data={[
            { value: '0', label: t('costs.noSupplier') },
            ...suppliers.map(({ id: value, name }) => ({ value: String(value), label: name })),
          ]}
          value={String(supplier_id)}
          onChange={(value) => form.set('supplier_id', Number(value ?? 0))}
        />
      </Field>
      <BuyPriceEditor
        label={t('costs.own')}
        hint={t('costs.ownHint')}
        none={supplier_id === 0 ? t('costs.kind.none') : t('costs.kind.inherit')}
        value={form.values.buy_price}
        error={form.errorOf('buy_price')}
        onChange={(text) => form.set('buy_price', text)}
      />
    </div>
  );
}

function Manage() {
  const { t } = useTranslation('channels');
  return (
    <Link className={layout.tallLink} to="/channel" search={{ suppliers: true }}>
      {t('costs.manage')}
    </Link>
  );
}
