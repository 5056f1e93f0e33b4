/** A model on the phone: name and vendor, then its prices or the group that has it. */
import { useTranslation } from 'react-i18next';
import { CardLine } from '#web/ui/grid/card-line.tsx';
import { CallCell, ModelCell, OutputCell, TokenPriceCell } from './cells.tsx';
import { billingOf, type PricedModel } from './models.ts';
import type { PriceUnit } from './unit.ts';
import classes from './pricing.module.css';

interface ModelCardProps {
  model: PricedModel;
  unit: PriceUnit;
  group: string;
  dearest: number;
}

export function ModelCard({ model, unit, group, dearest }: ModelCardProps) {
  const { t } = useTranslation('pricing');
  const shown = model.isOpen && model.perMillion;
  return (
    <>
      <CardLine>
        <ModelCell model={model} />
        <span className="muted">{t(`billing.${billingOf(model)}Short`)}</span>
      </CardLine>
      <CardLine>
        {shown ? (
          <span className={`inline6 shrink ${classes.cardPrice}`}>
            <span className="muted">{t('column.input')}</span>
            <TokenPriceCell model={model} unit={unit} part="input" />
          </span>
        ) : null}
        {model.isOpen && model.perCall !== undefined ? (
          <span className={`inline6 shrink ${classes.cardPrice}`}>
            <span className="muted">{t(`column.${model.price_unit}`)}</span>
            <CallCell model={model} unit={unit} isNamed />
          </span>
        ) : (
          <span className={`inline6 shrink ${classes.cardPrice}`}>
            {shown ? <span className="muted">{t('column.output')}</span> : null}
            <OutputCell model={model} unit={unit} group={group} dearest={dearest} />
          </span>
        )}
      </CardLine>
    </>
  );
}
