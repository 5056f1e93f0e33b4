/** One to four models to ask, each with its price. */
import { Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { isPricedAsAnswered, pricePerMillion, QUOTA_TYPE } from '#contract/money/pricing.ts';
import { formatMoney } from '#web/ui/format/number.ts';
import { PANE_LETTERS } from './settings.ts';
import type { ChatModels } from './use-chat-models.ts';
import classes from './playground.module.css';

export function ModelPanes({ chat }: { chat: ChatModels }) {
  const { t } = useTranslation('playground');
  const { models, options, ratio, entryOf, setModel } = chat;
  const priceText = (model: string) => {
    const entry = entryOf(model);
    if (!entry) return undefined;
    if (isPricedAsAnswered(entry)) return t('pane.asAnswered');
    if (entry.quota_type === QUOTA_TYPE.call)
      return t(entry.price_unit === 'second' ? 'pane.perSecond' : 'pane.perCall', {
        price: formatMoney(entry.model_price * ratio, 3),
      });
    const { input, output } = pricePerMillion(entry, ratio);
    return t('pane.price', { input: formatMoney(input), output: formatMoney(output) });
  };
  return (
    <div className={classes.panes} data-panes={models.length}>
      {models.map((model, pane) => (
        <div key={PANE_LETTERS[pane] ?? pane} className={`row8 shrink ${classes.pane}`}>
          {models.length > 1 ? <span className={classes.letter}>{PANE_LETTERS[pane]}</span> : null}
          <Select
            aria-label={t('pane.model', { pane: PANE_LETTERS[pane] })}
            searchable
            data={options.length === 0 ? [model] : options}
            value={model}
            allowDeselect={false}
            limit={200}
            onChange={(value) => value && setModel(pane, value)}
          />
          <span className={`fixed cut ${classes.panePrice}`}>{priceText(model)}</span>
        </div>
      ))}
    </div>
  );
}
