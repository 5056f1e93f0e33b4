/** The home page without operator content: the address, an example, three steps, measured facts. */
import { Button, SegmentedControl } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { IconArrowRight } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { StatusView } from '#contract/admin/site.ts';
import { useUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { CodeBlock } from '#web/ui/code/code-block.tsx';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { baseUrl } from '#web/ui/format/base-url.ts';
import { groupDigits } from '#web/ui/format/number.ts';
import { enabledProviders, useProviderName } from '#web/ui/login/providers.ts';
import { SAMPLES } from './samples.ts';
import classes from './site.module.css';

const STEPS = ['account', 'token', 'point'] as const;

function Example({ url }: { url: string }) {
  const { t } = useTranslation('site');
  const [chosen, setChosen] = useState<string>('curl');
  const sample = SAMPLES.find((candidate) => candidate.id === chosen);
  const code = sample?.code(url) ?? '';
  return (
    <section className={classes.example} aria-label={t('home.example')}>
      <CodeBlock
        head={
          <SegmentedControl
            size="xs"
            aria-label={t('home.example')}
            value={chosen}
            onChange={setChosen}
            data={SAMPLES.map(({ id, label }) => ({ value: id, label }))}
          />
        }
        copy={{ text: code, label: t('home.copyExample') }}
      >
        {code}
      </CodeBlock>
    </section>
  );
}

function Facts({ status }: { status: StatusView }) {
  const { t, i18n } = useTranslation('site');
  const priceText = ({ currency, price }: StatusView['top_up_prices'][number]) =>
    new Intl.NumberFormat(i18n.language, {
      style: 'currency',
      currency,
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: 0,
      maximumFractionDigits: 4,
    }).format(price);
  const registration = !status.register_enabled ? 'closed' : status.email_verification ? 'verified' : 'open';
  const nameOf = useProviderName();
  const logins = [
    ...(status.password_login_enabled ? [t('home.facts.password')] : []),
    ...[...enabledProviders(status), 'passkey' as const].map((provider) => nameOf(provider, status)),
  ];
  const facts = [
    [t('home.facts.unit'), t('home.facts.unitValue', { quota: groupDigits(status.quota_per_unit) })],
    // Without a way to pay there is no price.
    ...(status.top_up_prices.length > 0
      ? [
          [
            t('home.facts.price'),
            t('home.facts.priceValue', {
              price: status.top_up_prices.map(priceText).join(' · '),
              minimum: status.min_topup,
            }),
          ] as const,
        ]
      : []),
    [t('home.facts.registration'), t(`home.facts.${registration}`)],
    [t('home.facts.login'), logins.join(t('home.facts.separator'))],
    [t('home.facts.version'), status.version],
  ] as const;
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function DefaultHome() {
  const { t } = useTranslation('site');
  const status = useStatus();
  const user = useUser();
  const url = baseUrl(status?.server_address, location.origin);
  return (
    <div className={classes.home}>
      <section className={classes.hero}>
        <div>
          <h1>{t('home.headline')}</h1>
          <p>{t('home.lead')}</p>
          <div className={classes.baseUrl}>
            <span>{t('home.baseUrl')}</span>
            <code>{url}</code>
            <CopyButton text={url} label={t('home.copyBaseUrl')} size={34} />
          </div>
          <div className={classes.heroActions}>
            <Button
              component={Link}
              to="/token"
              size="md"
              rightSection={<IconArrowRight size={15} stroke={1.8} />}
            >
              {user ? t('home.openConsole') : t('home.getKey')}
            </Button>
            {user ? null : (
              <Button component={Link} to="/login" size="md" variant="default">
                {t('home.signIn')}
              </Button>
            )}
          </div>
        </div>
        <Example url={url} />
      </section>
      <section>
        <h2 className={classes.heading}>{t('home.stepsTitle')}</h2>
        <ol className={classes.steps}>
          {STEPS.map((step, index) => (
            <li key={step}>
              <span className={classes.stepPosts} aria-hidden>
                {STEPS.map((post, position) => (
                  <i key={post} data-on={position <= index || undefined} />
                ))}
              </span>
              <b>{t(`home.steps.${step}.title`)}</b>
              <p>{t(`home.steps.${step}.text`)}</p>
            </li>
          ))}
        </ol>
      </section>
      {status ? (
        <section>
          <h2 className={classes.heading}>{t('home.facts.title')}</h2>
          <Facts status={status} />
        </section>
      ) : null}
    </div>
  );
}
