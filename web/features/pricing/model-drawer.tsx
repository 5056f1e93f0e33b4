/** One model: its price in every group, what a call would cost, and how to call it. */
import { NumberInput, SegmentedControl, Select, Textarea } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { IconCalculator, IconCode, IconMessage2Code, IconRoute, IconTag } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { costOfCall, estimateTokens, isPricedAsAnswered, piecePriceAt } from '#contract/money/pricing.ts';
import { useUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { GroupTag } from '#web/ui/badge/tag.tsx';
import { CodeBlock } from '#web/ui/code/code-block.tsx';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { Drawer } from '#web/ui/drawer/drawer.tsx';
import { serverAddress } from '#web/ui/format/base-url.ts';
import { Field, Section } from '#web/ui/input/field.tsx';
import { Price } from './cells.tsx';
import { priceModels, type PricedModel } from './models.ts';
import { LANGUAGE_NAMES, LANGUAGES, sampleCode, samplePaths, type SampleLanguage } from './samples.ts';
import { callPrice, tokenPrice, type PriceUnit } from './unit.ts';
import { VendorMark } from '#web/ui/badge/vendor-mark.tsx';
import classes from './model-drawer.module.css';

interface ModelDrawerProps {
  model: PricedModel;
  ratios: Record<string, number>;
  group: string;
  unit: PriceUnit;
  onClose: () => void;
}

export function ModelDrawer({ model, ratios, group, unit, onClose }: ModelDrawerProps) {
  const { t } = useTranslation('pricing');
  const user = useUser();
  const canTry = user !== undefined && model.isOpen && model.endpoints.includes('/v1/chat/completions');
  return (
    <Drawer
      title={model.model_name}
      subtitle={
        <>
          <VendorMark vendor={model.owner_by} />
          <CopyButton text={model.model_name} label={t('action.copyName', { model: model.model_name })} />
        </>
      }
      onClose={onClose}
      footer={
        canTry ? (
          <Link to="/playground" search={{ model: model.model_name }} className="inline6 strong">
            <IconMessage2Code size={15} stroke={1.6} aria-hidden />
            {t('action.playground')}
          </Link>
        ) : undefined
      }
    >
      {model.virtual === undefined ? null : (
        <Section icon={<IconRoute size={15} stroke={1.6} />} title={t('detail.targets')}>
          <Targets virtual={model.virtual} />
        </Section>
      )}
      {isPricedAsAnswered(model) ? null : (
        <>
          <Section icon={<IconTag size={15} stroke={1.6} />} title={t('detail.prices')}>
            <GroupPrices model={model} ratios={ratios} unit={unit} />
          </Section>
          <Section icon={<IconCalculator size={15} stroke={1.6} />} title={t('detail.calculator')}>
            <Calculator model={model} group={group} ratio={ratios[group] ?? 1} unit={unit} />
          </Section>
        </>
      )}
      {samplePaths(model.endpoints).length > 0 ? (
        <Section icon={<IconCode size={15} stroke={1.6} />} title={t('detail.code')}>
          <Samples model={model} />
        </Section>
      ) : null}
    </Drawer>
  );
}

function Targets({ virtual: { basis, targets } }: { virtual: NonNullable<PricedModel['virtual']> }) {
  const { t } = useTranslation('pricing');
  return (
    <>
      <p className="size12 muted">{t(`detail.${basis}`)}</p>
      {targets.length === 0 ? (
        <p className="top6 size12 muted">{t('detail.hidden')}</p>
      ) : (
        <p className="row8 flow6 top6">
          {targets.map((target) => (
            <Link key={target} to="/pricing" search={{ model: target }}>
              {target}
            </Link>
          ))}
        </p>
      )}
    </>
  );
}

function GroupPrices({ model, ratios, unit }: Pick<ModelDrawerProps, 'model' | 'ratios' | 'unit'>) {
  const { t } = useTranslation('pricing');
  const parts = ['input', 'cached', 'output'] as const;
  return (
    <table className={classes.prices} aria-label={t('detail.prices')}>
      <thead>
        <tr>
          <th scope="col">{t('group.label')}</th>
          <th scope="col">{t('column.ratio')}</th>
          {model.perMillion ? (
            parts.map((part) => (
              <th scope="col" key={part}>
                {t(`column.${part}`)}
              </th>
            ))
          ) : (
            <th scope="col">{t(`column.${model.price_unit}`)}</th>
          )}
        </tr>
      </thead>
      <tbody>
        {Object.entries(ratios).map(([group, ratio]) => {
          const [priced] = priceModels([model], group, ratio);
          const open = priced?.isOpen ? priced : undefined;
          return (
            <tr key={group}>
              <th scope="row">
                <GroupTag group={group} />
              </th>
              <td>{ratio}×</td>
              {model.perMillion ? (
                parts.map((part) => (
                  <td key={part}>
                    {open?.perMillion ? (
                      <Price value={tokenPrice(open.perMillion[part], unit)} unit={unit} />
                    ) : (
                      <Empty />
                    )}
                  </td>
                ))
              ) : (
                <td>
                  {open?.perCall === undefined ? (
                    <Empty />
                  ) : (
                    <>
                      <Price value={callPrice(open.perCall, unit)} unit={unit} />
                      {Object.entries(model.resolution_prices).map(([resolution, dollars]) => (
                        <div key={resolution}>
                          {resolution} <Price value={callPrice(dollars * ratio, unit)} unit={unit} />
                        </div>
                      ))}
                    </>
                  )}
                </td>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

const DEFAULT_OUTPUT = 500;
const MOST_TOKENS = 100_000_000;

interface CalculatorProps {
  model: PricedModel;
  group: string;
  ratio: number;
  unit: PriceUnit;
}

function Calculator({ model, group, ratio, unit }: CalculatorProps) {
  const { t } = useTranslation('pricing');
  const [text, setText] = useState('');
  const [output, setOutput] = useState<number | string>(DEFAULT_OUTPUT);
  const [calls, setCalls] = useState<number | string>(1);
  const [resolution, setResolution] = useState('');
  const prompt = estimateTokens(text);
  const resolutions = Object.keys(model.resolution_prices);
  const model_price = piecePriceAt(model.model_price, model.resolution_prices, resolution);
  const cost = costOfCall({ ...model, model_price }, ratio, { prompt, completion: Number(output) || 0 });
  return (
    <div className="stack12">
      {model.perMillion ? (
        <Field
          label={t('detail.prompt')}
          htmlFor="calculator-prompt"
          fact={t('detail.promptFact', { count: prompt })}
        >
          <Textarea
            id="calculator-prompt"
            autosize
            minRows={3}
            maxRows={8}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </Field>
      ) : null}
      <div className="pair">
        {model.perMillion ? (
          <Field label={t('detail.output')} htmlFor="calculator-output">
            <NumberInput
              id="calculator-output"
              value={output}
              onChange={setOutput}
              min={0}
              max={MOST_TOKENS}
              allowDecimal={false}
              allowNegative={false}
            />
          </Field>
        ) : null}
        <Field
          label={t(model.price_unit === 'second' ? 'detail.seconds' : 'detail.calls')}
          htmlFor="calculator-calls"
        >
          <NumberInput
            id="calculator-calls"
            value={calls}
            onChange={setCalls}
            min={1}
            max={MOST_TOKENS}
            allowDecimal={false}
            allowNegative={false}
          />
        </Field>
        {resolutions.length === 0 ? null : (
          <Field label={t('detail.resolution')} htmlFor="calculator-resolution">
            <Select
              id="calculator-resolution"
              data={[{ value: '', label: t('detail.otherResolution') }, ...resolutions]}
              value={resolution}
              allowDeselect={false}
              onChange={(value) => setResolution(value ?? '')}
            />
          </Field>
        )}
      </div>
      <p className={classes.total} role="status">
        <span>
          {t('detail.total')} <small className="muted">{t('detail.totalOf', { group })}</small>
        </span>
        <Price value={callPrice(cost * (Number(calls) || 0), unit)} unit={unit} strong />
      </p>
    </div>
  );
}

function Samples({ model }: { model: PricedModel }) {
  const { t } = useTranslation('pricing');
  const status = useStatus();
  const paths = samplePaths(model.endpoints);
  const [path, setPath] = useState(paths[0] ?? '');
  const [language, setLanguage] = useState<SampleLanguage>('curl');
  const address = serverAddress(status?.server_address, window.location.origin);
  const code = sampleCode(language, { path, model: model.model_name, address });
  return (
    <>
      {paths.length > 1 ? (
        <Field label={t('detail.path')} htmlFor="sample-path">
          <Select
            id="sample-path"
            data={paths}
            value={path}
            allowDeselect={false}
            onChange={(value) => value && setPath(value)}
          />
        </Field>
      ) : null}
      <CodeBlock
        head={
          <SegmentedControl
            size="xs"
            aria-label={t('detail.code')}
            value={language}
            onChange={(value) => setLanguage(LANGUAGES.find((known) => known === value) ?? 'curl')}
            data={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
          />
        }
        copy={{ text: code, label: t('detail.copyCode') }}
      >
        {code}
      </CodeBlock>
      <p className="top6 size12 muted">{t('detail.keyHint')}</p>
    </>
  );
}
