/** Up to four models side by side in the chosen group; the lowest price of each line is bold. */
import { CloseButton, Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Empty } from '#web/ui/badge/empty.tsx';
import { contextText, Price } from './cells.tsx';
import { kindName } from './facets.ts';
import { billingOf, type PricedModel } from './models.ts';
import { callPrice, tokenPrice, type PriceUnit } from './unit.ts';
import { VendorMark } from '#web/ui/badge/vendor-mark.tsx';
import classes from './model-drawer.module.css';

interface CompareProps {
  models: readonly PricedModel[];
  unit: PriceUnit;
  onClose: () => void;
}

export function Compare({ models, unit, onClose }: CompareProps) {
  const { t } = useTranslation('pricing');
  const { t: common } = useTranslation('ui');
  const priceLine = (name: 'input' | 'cached' | 'output' | 'call') => {
    const values = models.map((model) => {
      if (name === 'call') return model.perCall === undefined ? undefined : callPrice(model.perCall, unit);
      return model.perMillion && tokenPrice(model.perMillion[name], unit);
    });
    if (values.every((value) => value === undefined)) return null;
    const lowest = Math.min(...values.filter((value) => value !== undefined));
    return (
      <tr key={name}>
        <th scope="row">{t(`column.${name}`)}</th>
        {values.map((value, index) => (
          <td key={models[index]?.model_name}>
            {value === undefined ? <Empty /> : <Price value={value} unit={unit} strong={value === lowest} />}
          </td>
        ))}
      </tr>
    );
  };
  return (
    <Modal opened onClose={onClose} size={820} withCloseButton={false}>
      {/* Mantine's modal header is a <header>, a second banner landmark of the page. */}
      <div className={classes.compareHead}>
        <Modal.Title>{t('compare.title')}</Modal.Title>
        <CloseButton aria-label={common('action.close')} onClick={onClose} />
      </div>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={t('compare.title')}>
        <table className={classes.prices}>
          <thead>
            <tr>
              <th scope="col">{t('column.model')}</th>
              {models.map((model) => (
                <th scope="col" key={model.model_name}>
                  <VendorMark vendor={model.owner_by} /> {model.model_name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(['input', 'cached', 'output', 'call'] as const).map(priceLine)}
            <tr>
              <th scope="row">{t('column.billing')}</th>
              {models.map((model) => (
                <td key={model.model_name}>{t(`billing.${billingOf(model)}`)}</td>
              ))}
            </tr>
            <tr>
              <th scope="row">{t('column.kind')}</th>
              {models.map((model) => (
                <td key={model.model_name}>{kindName(t, model.kind)}</td>
              ))}
            </tr>
            <tr>
              <th scope="row">{t('column.context')}</th>
              {models.map((model) => (
                <td key={model.model_name}>{model.context > 0 ? contextText(model.context) : <Empty />}</td>
              ))}
            </tr>
            <tr>
              <th scope="row">{t('column.groups')}</th>
              {models.map((model) => (
                <td key={model.model_name}>{model.enable_groups.join(', ')}</td>
              ))}
            </tr>
          </tbody>
        </table>
      </div>
    </Modal>
  );
}
